import type { SyntaxNode } from '@lezer/common';
import type { Comparison, LabelExtraction, LabelFilter, LogQuery, Matcher, NameOrMatcher, Stage } from './ast.ts';
import { unsupported } from './errors.ts';
import { unquote } from './lexer.ts';
import { children, descendants, type Source, textOf } from './tree.ts';
import { parseBytes, parseQueryDuration } from './units.ts';

/** From a `LogExpr` (or the log part of a range) of the official grammar. */
export function buildLog(node: SyntaxNode, source: Source): LogQuery {
  const inner = node.getChild('LogExpr');
  if (inner !== null) return buildLog(inner, source);
  const selector = node.getChild('Selector');
  if (selector === null) throw unsupported('this form of log query');
  return {
    kind: 'log',
    matchers: descendants(selector, 'Matcher').map((matcher) => buildMatcher(matcher, source)),
    stages: node
      .getChildren('PipelineExpr')
      .flatMap((pipeline) => descendants(pipeline, 'PipelineStage'))
      .flatMap((stage) => buildStage(stage, source)),
  };
}

function buildMatcher(node: SyntaxNode, source: Source): Matcher {
  const [name, op, value] = children(node);
  if (name === undefined || op === undefined || value === undefined) throw unsupported('this matcher');
  return { name: textOf(name, source), op: textOf(op, source) as Matcher['op'], value: stringOf(value, source) };
}

function buildStage(node: SyntaxNode, source: Source): Stage[] {
  return children(node).flatMap((child): Stage[] => {
    switch (child.name) {
      case 'Pipe':
        return [];
      case 'LineFilters':
        return descendants(child, 'LineFilter').map((filter) => buildLineFilter(filter, source));
      case 'LogfmtParser':
      case 'LogfmtExpressionParser': {
        const flags = descendants(child, 'ParserFlag').map((flag) => textOf(flag, source));
        return [
          {
            kind: 'logfmt',
            strict: flags.includes('--strict'),
            keepEmpty: flags.includes('--keep-empty'),
            labels: extractions(child, source),
          },
        ];
      }
      case 'JsonExpressionParser':
        return [{ kind: 'json', labels: extractions(child, source) }];
      case 'LabelParser':
        return [buildParser(child, source)];
      case 'LabelFilter':
        return [{ kind: 'filter', filter: buildFilter(child, source) }];
      case 'LineFormatExpr':
        return [{ kind: 'line_format', template: stringOf(child.getChild('String'), source) }];
      case 'LabelFormatExpr':
        return [
          {
            kind: 'label_format',
            labels: descendants(child, 'LabelFormatMatcher').map((format) => buildFormat(format, source)),
          },
        ];
      case 'DecolorizeExpr':
        return [{ kind: 'decolorize' }];
      case 'DropLabelsExpr':
        return [{ kind: 'drop', labels: descendants(child, 'DropLabel').map((label) => nameOrMatcher(label, source)) }];
      case 'KeepLabelsExpr':
        return [{ kind: 'keep', labels: descendants(child, 'KeepLabel').map((label) => nameOrMatcher(label, source)) }];
      default:
        throw unsupported(`the stage \`${textOf(child, source)}\``);
    }
  });
}

function buildLineFilter(node: SyntaxNode, source: Source): Stage {
  const op = textOf(node.getChild('Filter') ?? node, source) as Extract<Stage, { kind: 'line' }>['op'];
  const parts = descendants(node, 'String').map((value) => ({
    value: stringOf(value, source),
    ip: value.prevSibling?.name === 'FilterOp',
  }));
  return { kind: 'line', op, parts };
}

function extractions(node: SyntaxNode, source: Source): LabelExtraction[] {
  return descendants(node, 'LabelExtractionExpression').map((extraction) => {
    const [name, , expression] = children(extraction);
    if (name === undefined) throw unsupported('this label extraction');
    const label = textOf(name, source);
    return { name: label, expression: expression === undefined ? label : stringOf(expression, source) };
  });
}

function buildParser(node: SyntaxNode, source: Source): Stage {
  switch (node.firstChild?.name) {
    case 'Json':
      return { kind: 'json', labels: [] };
    case 'Logfmt':
      return { kind: 'logfmt', strict: false, keepEmpty: false, labels: [] };
    case 'Unpack':
      return { kind: 'unpack' };
    case 'Pattern':
      return { kind: 'pattern', pattern: stringOf(node.getChild('String'), source) };
    case 'Regexp':
      return { kind: 'regexp', pattern: stringOf(node.getChild('String'), source) };
    default:
      throw unsupported(`the parser \`${textOf(node, source)}\``);
  }
}

/** Also the filters after `unwrap`. */
export function buildFilter(node: SyntaxNode, source: Source): LabelFilter {
  const parts = children(node);
  const filters = parts.filter((part) => part.name === 'LabelFilter');
  const [left, right] = filters;
  if (left !== undefined && right !== undefined) {
    const or = parts.some((part) => part.name === 'Or');
    const comma = !or && !parts.some((part) => part.name === 'And');
    return {
      kind: or ? 'or' : 'and',
      left: buildFilter(left, source),
      right: buildFilter(right, source),
      ...(comma ? { comma } : {}),
    };
  }
  if (left !== undefined) return buildFilter(left, source);
  const leaf = parts[0]?.name === 'UnitFilter' ? parts[0].firstChild : parts[0];
  if (leaf === null || leaf === undefined) throw unsupported('this label filter');
  if (leaf.name === 'Matcher') return { kind: 'matcher', matcher: buildMatcher(leaf, source) };
  const [name, op] = children(leaf).map((part) => textOf(part, source));
  if (name === undefined || op === undefined) throw unsupported('this label filter');
  if (leaf.name === 'IpLabelFilter')
    return { kind: 'ip', name, op: op === '!=' ? '!=' : '=', value: stringOf(leaf.getChild('String'), source) };
  const value = leaf.lastChild;
  if (value === null) throw unsupported('this label filter');
  const text = textOf(value, source).replace(/\s+/g, '');
  const comparison = (op === '=' ? '==' : op) as Comparison;
  if (leaf.name === 'DurationFilter')
    return { kind: 'duration', name, op: comparison, value: parseQueryDuration(text), text };
  if (leaf.name === 'BytesFilter') return { kind: 'bytes', name, op: comparison, value: parseBytes(text), text };
  return { kind: 'number', name, op: comparison, value: Number(text), text };
}

function buildFormat(node: SyntaxNode, source: Source): { name: string; rename: boolean; value: string } {
  const [name, , value] = children(node);
  if (name === undefined || value === undefined) throw unsupported('this label_format');
  const rename = value.name === 'Identifier';
  return { name: textOf(name, source), rename, value: rename ? textOf(value, source) : stringOf(value, source) };
}

function nameOrMatcher(node: SyntaxNode, source: Source): NameOrMatcher {
  const matcher = node.getChild('Matcher');
  if (matcher === null) return { name: textOf(node, source) };
  const built = buildMatcher(matcher, source);
  return { name: built.name, matcher: built };
}

export function stringOf(node: SyntaxNode | null, source: Source): string {
  return node === null ? '' : unquote(textOf(node, source));
}
