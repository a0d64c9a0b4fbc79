import type { LabelFilter } from './ast.ts';
import { parseIpPattern } from './ip.ts';
import type { LineState } from './line-state.ts';
import { matcherTest } from './matchers.ts';
import { compare } from './operators.ts';
import { parseBytes, parseGoDuration, parseGoFloat, UnitError } from './units.ts';

const READERS = { number: parseGoFloat, duration: parseGoDuration, bytes: parseBytes } as const;

/** A value that is not of the filter's type keeps the line and marks it with `LabelFilterErr`. */
export function labelTest(filter: LabelFilter): (state: LineState) => boolean {
  switch (filter.kind) {
    case 'and': {
      const left = labelTest(filter.left);
      const right = labelTest(filter.right);
      return (state) => left(state) && right(state);
    }
    case 'or': {
      const left = labelTest(filter.left);
      const right = labelTest(filter.right);
      return (state) => left(state) || right(state);
    }
    case 'matcher': {
      const { name } = filter.matcher;
      const test = matcherTest(filter.matcher);
      return (state) => test(state.get(name) ?? '');
    }
    case 'ip': {
      const test = parseIpPattern(filter.value);
      return (state) => {
        const value = state.get(filter.name);
        return value !== undefined && test(value) === (filter.op === '=');
      };
    }
    default: {
      const read = READERS[filter.kind];
      return (state) => {
        if (state.error !== '') return true;
        const text = state.get(filter.name);
        if (text === undefined) return false;
        try {
          return compare(filter.op, read(text), filter.value);
        } catch (error) {
          if (!(error instanceof UnitError)) throw error;
          state.fail('LabelFilterErr', error.message);
          return true;
        }
      };
    }
  }
}
