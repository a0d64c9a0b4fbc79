/** Cells as aligned lines: two blanks between columns, no blanks at the end. `right`: columns of numbers. */
export function alignRows(rows: readonly (readonly string[])[], right: readonly boolean[] = []): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, Array.from(cell).length);
  }
  return rows.map((row) =>
    row
      .map((cell, i) => {
        const pad = ' '.repeat((widths[i] ?? 0) - Array.from(cell).length);
        return right[i] === true ? pad + cell : cell + pad;
      })
      .join('  ')
      .trimEnd(),
  );
}

/** `app=shop env=prod`; values are quoted only where they would not read as one word. */
export function showLabels(labels: Readonly<Record<string, string>>, hide: ReadonlySet<string> = new Set()): string {
  const parts: string[] = [];
  for (const name of Object.keys(labels).sort()) {
    if (!hide.has(name)) parts.push(`${name}=${quoteWord(labels[name] ?? '')}`);
  }
  return parts.join(' ');
}

export function quoteWord(value: string): string {
  return value === '' || /[\s"'=,{}\u0000-\u001f]/.test(value) ? JSON.stringify(value) : value;
}
