import type { Labels, LogLine } from '../data/store.ts';
import type { Interner, LabelSet } from './labels.ts';

export const ERROR = '__error__';
export const ERROR_DETAILS = '__error_details__';

export type Category = 'stream' | 'structured' | 'parsed';

/** One log line on its way through a pipeline. The object is reused from line to line: copy what must stay. */
export class LineState {
  ts = 0n;
  line = '';
  error = '';
  details = '';
  #stream: LabelSet;
  readonly #interner: Interner;
  readonly #added = new Map<string, { value: string; category: Category }>();
  readonly #deleted = new Set<string>();

  constructor(interner: Interner) {
    this.#interner = interner;
    this.#stream = interner.empty;
  }

  start(stream: LabelSet, entry: LogLine): void {
    this.ts = entry.ts;
    this.line = entry.line;
    this.error = '';
    this.details = '';
    this.#stream = stream;
    if (this.#added.size > 0) this.#added.clear();
    if (this.#deleted.size > 0) this.#deleted.clear();
    if (entry.metadata === undefined) return;
    for (const name in entry.metadata) {
      const own = name in stream.labels ? `${name}_extracted` : name;
      this.#added.set(own, { value: entry.metadata[name] ?? '', category: 'structured' });
    }
  }

  get(name: string): string | undefined {
    if (name === ERROR) return this.error === '' ? undefined : this.error;
    if (name === ERROR_DETAILS) return this.details === '' ? undefined : this.details;
    if (this.#deleted.has(name)) return undefined;
    return this.#added.get(name)?.value ?? this.#stream.labels[name];
  }

  categoryOf(name: string): Category {
    return this.#added.get(name)?.category ?? 'stream';
  }

  set(name: string, value: string, category: Category = 'parsed'): void {
    this.#deleted.delete(name);
    this.#added.set(name, { value, category });
  }

  /** A parser's label: one that clashes with the stream's or the metadata's gets `_extracted`. */
  extract(name: string, value: string): void {
    const clash = name in this.#stream.labels || this.#added.get(name)?.category === 'structured';
    this.set(clash ? `${name}_extracted` : name, value);
  }

  delete(name: string): void {
    this.#added.delete(name);
    this.#deleted.add(name);
  }

  fail(error: string, details: string): void {
    this.error = error;
    this.details = details;
  }

  /** Names in no order, without those of errors. */
  names(): string[] {
    const names = Object.keys(this.#stream.labels).filter((name) => !this.#added.has(name) && !this.#deleted.has(name));
    for (const name of this.#added.keys()) names.push(name);
    return names;
  }

  /** All labels of the line as it is now. */
  labels(): LabelSet {
    if (this.#added.size === 0 && this.#deleted.size === 0 && this.error === '') return this.#stream;
    return this.#pick(this.names());
  }

  /** Only `names`, those of them that are there; a line with an error keeps all but the parsed ones that are not `required`. */
  only(names: readonly string[], required?: ReadonlySet<string>): LabelSet {
    if (this.error !== '') {
      return this.#pick(
        this.names().filter((name) => required?.has(name) !== false || this.#added.get(name)?.category !== 'parsed'),
      );
    }
    return this.#pick(names.filter((name) => this.get(name) !== undefined));
  }

  without(names: ReadonlySet<string>): LabelSet {
    if (this.error !== '') return this.labels();
    return this.#pick(this.names().filter((name) => !names.has(name)));
  }

  /** Labels of one category, for categorised answers. */
  category(category: 'structured' | 'parsed'): Labels {
    const labels: Labels = {};
    for (const name of [...this.#added.keys()].sort()) {
      const added = this.#added.get(name);
      if (added?.category === category) labels[name] = added.value;
    }
    if (category === 'parsed' && this.error !== '') {
      labels[ERROR] = this.error;
      if (this.details !== '') labels[ERROR_DETAILS] = this.details;
    }
    return labels;
  }

  #pick(names: string[]): LabelSet {
    if (this.error !== '') names.push(ERROR);
    if (this.details !== '') names.push(ERROR_DETAILS);
    return this.#interner.of(names.sort(), (name) => this.get(name) ?? '');
  }
}
