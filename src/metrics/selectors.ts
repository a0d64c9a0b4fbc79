import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

export interface Matcher {
  name: string;
  op: string;
  value: string;
}

/** A vector selector as it stands in a query. */
export interface Selector {
  text: string;
  /** Offsets in the query. */
  from: number;
  to: number;
  /** The metric's name, where it is one and not a pattern. */
  metric?: string;
  /** Without the one that is the metric's name. */
  matchers: Matcher[];
}

/** Every vector selector of a query, in its order. */
export function selectorsOf(query: string): Selector[] {
  const found: Selector[] = [];
  parser.parse(query).iterate({
    enter: ({ node, type }) => {
      if (type.name === 'VectorSelector') found.push(readSelector(query, node));
    },
  });
  return found;
}

/** The selector that the whole query is, within parentheses; undefined for any other expression. */
export function bareSelector(query: string): Selector | undefined {
  let node = parser.parse(query).topNode.firstChild;
  while (node?.name === 'ParenExpr' || node?.name === 'OffsetExpr' || node?.name === 'StepInvariantExpr') {
    node = node.firstChild;
  }
  return node?.name === 'VectorSelector' ? readSelector(query, node) : undefined;
}

export function readSelector(query: string, node: SyntaxNode): Selector {
  const all = matchersOf(query, node);
  const identifier = node.getChild('Identifier');
  const named = all.find(({ name, op }) => name === '__name__' && op === '=');
  const metric = identifier ? query.slice(identifier.from, identifier.to) : named?.value;
  return {
    text: query.slice(node.from, node.to),
    from: node.from,
    to: node.to,
    ...(metric === undefined ? {} : { metric }),
    matchers: all.filter((matcher) => matcher !== named || identifier !== null),
  };
}

/** Matchers of a selector; a quoted metric name counts as one of `__name__`. */
export function matchersOf(query: string, selector: SyntaxNode): Matcher[] {
  const text = (node: SyntaxNode | null) => (node ? query.slice(node.from, node.to) : '');
  const out: Matcher[] = [];
  for (let node = selector.getChild('LabelMatchers')?.firstChild ?? null; node; node = node.nextSibling) {
    if (node.name === 'QuotedLabelName') out.push({ name: '__name__', op: '=', value: unquoted(text(node)) });
    if (node.name !== 'UnquotedLabelMatcher' && node.name !== 'QuotedLabelMatcher') continue;
    const quoted = node.getChild('QuotedLabelName');
    out.push({
      name: quoted ? unquoted(text(quoted)) : text(node.getChild('LabelName')),
      op: text(node.getChild('MatchOp')),
      value: unquoted(text(node.getChild('StringLiteral'))),
    });
  }
  return out;
}

/** The query with one matcher more in each of its selectors; undefined when it has none. */
export function withMatcher(query: string, label: string, value: string): string | undefined {
  const selectors = selectorsOf(query);
  const matcher = `${quoteLabel(label)}=${JSON.stringify(value)}`;
  let out = query;
  for (const { text, from, to } of [...selectors].reverse()) {
    const open = text.indexOf('{');
    const inside = open < 0 ? '' : text.slice(open + 1, -1).trim();
    const metric = open < 0 ? text : text.slice(0, open).trimEnd();
    const comma = inside === '' || inside.endsWith(',') ? '' : ', ';
    out = `${out.slice(0, from)}${metric}{${inside}${comma}${matcher}}${out.slice(to)}`;
  }
  return selectors.length === 0 ? undefined : out;
}

/** A selector of one metric, and of what the matchers say. Names beyond letters, digits, `_` and `:` in the quoted form. */
export function selectMetric(metric: string, labels: Readonly<Record<string, string>> = {}): string {
  const plain = /^[a-zA-Z_:][\w:]*$/.test(metric);
  const matchers = Object.entries(labels).map(([name, value]) => `${quoteLabel(name)}=${JSON.stringify(value)}`);
  const inside = [...(plain ? [] : [JSON.stringify(metric)]), ...matchers].join(', ');
  return `${plain ? metric : ''}${inside === '' ? '' : `{${inside}}`}`;
}

/** A label's name as a query takes it. */
export function quoteLabel(name: string): string {
  return /^[a-zA-Z_]\w*$/.test(name) ? name : JSON.stringify(name);
}

function unquoted(text: string): string {
  if (!text.startsWith('"')) return text.slice(1, -1);
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}
