import type { Labels, LogLine } from '../data/store.ts';
import type { Interner, LabelSet } from './labels.ts';

export const ERROR = '__error__';
export const ERROR_DETAILS = '__error_details__';
/** Beside an error that does not fail a metric query. */
export const PRESERVE_ERROR = '__preserve_error__';

export type Category = 'stream' | 'structured' | 'parsed';

/** One log line on its way through a pipeline. The object is reused from line to line: copy what must stay. */
export class LineState {
  ts = 0n;
  line = '';
  error = '';
  details = '';
  preserveErrors = false;
  #stream: LabelSet;
  /** Structured metadata that nobody has asked for yet: most lines are dropped or counted without it. */
  #pending: Labels | undefined;
  readonly #interner: Interner;
  readonly #added = new Map<string, string>();
  /** Of added labels that are not parsed ones. */
  readonly #categories = new Map<string, Category>();
  readonly #deleted = new Set<string>();
  readonly #read = (name: string): string | undefined => this.get(name);

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
    this.#pending = entry.metadata;
    if (this.#added.size > 0) this.#added.clear();
    if (this.#categories.size > 0) this.#categories.clear();
    if (this.#deleted.size > 0) this.#deleted.clear();
  }

  get(name: string): string | undefined {
    if (name === ERROR) return this.error === '' ? undefined : this.error;
    if (name === ERROR_DETAILS) return this.details === '' ? undefined : this.details;
    // Metadata never hides a label of the stream: it gets `_extracted`.
    if (this.#pending !== undefined && this.#stream.labels[name] === undefined) this.#load();
    if (this.#deleted.size > 0 && this.#deleted.has(name)) return undefined;
    return this.#added.get(name) ?? this.#stream.labels[name];
  }

  categoryOf(name: string): Category {
    this.#load();
    return this.#categories.get(name) ?? (this.#added.has(name) ? 'parsed' : 'stream');
  }

  set(name: string, value: string, category: Category = 'parsed'): void {
    this.#load();
    if (this.#deleted.size > 0) this.#deleted.delete(name);
    this.#added.set(name, value);
    if (category !== 'parsed') this.#categories.set(name, category);
    else if (this.#categories.size > 0) this.#categories.delete(name);
  }

  /** A parser's label: one that clashes with the stream's or the metadata's gets `_extracted`. */
  extract(name: string, value: string): void {
    this.#load();
    const clash = this.#stream.labels[name] !== undefined || this.#categories.get(name) === 'structured';
    this.set(clash ? `${name}_extracted` : name, value);
  }

  delete(name: string): void {
    this.#load();
    this.#added.delete(name);
    this.#categories.delete(name);
    this.#deleted.add(name);
  }

  fail(error: string, details: string): void {
    this.error = error;
    this.details = details;
  }

  /** A fault of a parser, not of a filter or an unwrap. */
  failParser(error: string, details: string): void {
    this.fail(error, details);
    if (this.preserveErrors) this.set(PRESERVE_ERROR, 'true');
  }

  /** Names in no order, without those of errors. */
  names(): string[] {
    this.#load();
    const names = Object.keys(this.#stream.labels).filter((name) => !this.#added.has(name) && !this.#deleted.has(name));
    for (const name of this.#added.keys()) names.push(name);
    return names;
  }

  /** All labels of the line as it is now. */
  labels(): LabelSet {
    this.#load();
    if (this.#added.size === 0 && this.#deleted.size === 0 && this.error === '') return this.#stream;
    return this.#pick(this.names());
  }

  /** Only `names` (sorted), those that are there; a line with an error keeps all but the parsed ones that are not `required`. */
  only(names: readonly string[], required?: ReadonlySet<string>): LabelSet {
    if (this.error === '') return this.#interner.of(names, this.#read);
    const keeps = (name: string): boolean => required === undefined || required.has(name) || name === PRESERVE_ERROR;
    return this.#pick(this.names().filter((name) => keeps(name) || this.categoryOf(name) !== 'parsed'));
  }

  without(names: ReadonlySet<string>): LabelSet {
    if (this.error !== '') return this.labels();
    return this.#pick(this.names().filter((name) => !names.has(name)));
  }

  /** Labels of one category, for categorised answers. */
  category(category: 'structured' | 'parsed'): Labels {
    this.#load();
    const labels: Labels = {};
    for (const name of [...this.#added.keys()].sort()) {
      if (this.categoryOf(name) === category) labels[name] = this.#added.get(name) ?? '';
    }
    if (category === 'parsed' && this.error !== '') {
      labels[ERROR] = this.error;
      if (this.details !== '') labels[ERROR_DETAILS] = this.details;
    }
    return labels;
  }

  #load(): void {
    const metadata = this.#pending;
    if (metadata === undefined) return;
    this.#pending = undefined;
    for (const name in metadata) {
      const own = this.#stream.labels[name] === undefined ? name : `${name}_extracted`;
      this.#added.set(own, metadata[name] ?? '');
      this.#categories.set(own, 'structured');
    }
  }

  #pick(names: string[]): LabelSet {
    if (this.error !== '') names.push(ERROR);
    if (this.details !== '') names.push(ERROR_DETAILS);
    return this.#interner.of(names.sort(), this.#read);
  }
}
