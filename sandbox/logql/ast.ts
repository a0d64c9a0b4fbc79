/** LogQL as a tree. Names are those of Loki's own documentation. */
export interface Matcher {
  name: string;
  op: '=' | '!=' | '=~' | '!~';
  value: string;
}
export type Comparison = '==' | '!=' | '>' | '>=' | '<' | '<=';

export interface LineFilterPart {
  value: string;
  ip: boolean;
}
export interface LabelExtraction {
  name: string;
  expression: string;
}
export interface NameOrMatcher {
  name: string;
  matcher?: Matcher;
}

export type LabelFilter =
  | { kind: 'matcher'; matcher: Matcher }
  | { kind: 'number' | 'duration' | 'bytes'; name: string; op: Comparison; value: number; text: string }
  | { kind: 'ip'; name: string; op: '=' | '!='; value: string }
  | { kind: 'and' | 'or'; left: LabelFilter; right: LabelFilter; comma?: boolean };

export type Stage =
  | { kind: 'line'; op: '|=' | '!=' | '|~' | '!~' | '|>' | '!>'; parts: LineFilterPart[] }
  | { kind: 'logfmt'; strict: boolean; keepEmpty: boolean; labels: LabelExtraction[] }
  | { kind: 'json'; labels: LabelExtraction[] }
  | { kind: 'pattern' | 'regexp'; pattern: string }
  | { kind: 'unpack' }
  | { kind: 'decolorize' }
  | { kind: 'filter'; filter: LabelFilter }
  | { kind: 'line_format'; template: string }
  | { kind: 'label_format'; labels: { name: string; rename: boolean; value: string }[] }
  | { kind: 'drop' | 'keep'; labels: NameOrMatcher[] };

export interface LogQuery {
  kind: 'log';
  matchers: Matcher[];
  stages: Stage[];
}

export interface Grouping {
  without: boolean;
  labels: string[];
}
export interface Unwrap {
  label: string;
  conversion: '' | 'bytes' | 'duration' | 'duration_seconds';
  postFilters: LabelFilter[];
}

export interface RangeAggregation {
  kind: 'range';
  op: string;
  parameter?: number;
  log: LogQuery;
  unwrap?: Unwrap;
  /** ns */
  range: number;
  offset: number;
  grouping?: Grouping;
}
export interface Matching {
  on: boolean;
  labels: string[];
  group?: 'left' | 'right';
  include: string[];
}
export type MetricQuery =
  | RangeAggregation
  | { kind: 'vector'; op: string; parameter?: number; inner: MetricQuery; grouping?: Grouping }
  | {
      kind: 'binary';
      op: string;
      bool: boolean;
      matching?: Matching;
      left: MetricQuery;
      right: MetricQuery;
      parens?: boolean;
    }
  | { kind: 'number'; value: number }
  | { kind: 'vectorOf'; value: number }
  | { kind: 'label_replace'; inner: MetricQuery; dst: string; replacement: string; src: string; regex: string };

export type Query = LogQuery | MetricQuery;
