import { compileRegex } from '../regex.ts';
import type { LineFilterPart, Stage } from './ast.ts';
import { lineHasIp, parseIpPattern } from './ip.ts';
import { parseLinePattern, testLinePattern } from './pattern.ts';

type LineStage = Extract<Stage, { kind: 'line' }>;

/** Throws an Error with Loki's text for a filter that cannot be built. `or` of a negative filter: none of them. */
export function lineTest(stage: LineStage): (line: string) => boolean {
  const tests = stage.parts.map((part) => partTest(stage.op, part));
  const negative = stage.op.startsWith('!');
  const [only] = tests;
  if (only !== undefined && tests.length === 1) return negative ? (line) => !only(line) : only;
  return negative ? (line) => !tests.some((test) => test(line)) : (line) => tests.some((test) => test(line));
}

function partTest(op: LineStage['op'], part: LineFilterPart): (line: string) => boolean {
  if (part.ip) {
    if (op !== '|=' && op !== '!=') throw new Error('ip: invalid operation');
    const test = parseIpPattern(part.value);
    return (line) => lineHasIp(line, test);
  }
  switch (op) {
    case '|=':
    case '!=':
      return (line) => line.includes(part.value);
    case '|~':
    case '!~': {
      const literal = /^[\w \-/:="',@#%&;<>~!]+$/.test(part.value);
      if (literal) return (line) => line.includes(part.value);
      const regex = compileRegex(part.value);
      return (line) => regex.test(line);
    }
    default: {
      const pattern = parseLinePattern(part.value);
      return (line) => testLinePattern(pattern, line);
    }
  }
}
