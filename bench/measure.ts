/** Milliseconds at the given shares of a sample, e.g. `quantiles(times, [0.5, 0.95])`. */
export function quantiles(times: readonly number[], shares: readonly number[]): number[] {
  const sorted = [...times].sort((a, b) => a - b);
  return shares.map((share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN);
}

/** Runs `call` for `count` times by each of `callers`, at the same time; gives every single time in ms. */
export async function timed(callers: readonly (() => Promise<unknown>)[], count: number): Promise<number[]> {
  const times: number[] = [];
  await Promise.all(
    callers.map(async (call) => {
      for (let i = 0; i < count; i++) {
        const start = performance.now();
        await call();
        times.push(performance.now() - start);
      }
    }),
  );
  return times;
}

/** Alternates the two in rounds, so that a drift of the machine's speed meets both alike; `warm` calls of each go before. */
export async function paired(
  a: readonly (() => Promise<unknown>)[],
  b: readonly (() => Promise<unknown>)[],
  rounds: number,
  count: number,
  warm: number,
): Promise<{ a: number[]; b: number[] }> {
  const result = { a: [] as number[], b: [] as number[] };
  await timed(a, warm);
  await timed(b, warm);
  for (let round = 0; round < rounds; round++) {
    result.a.push(...(await timed(a, count)));
    result.b.push(...(await timed(b, count)));
  }
  return result;
}

export function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}

/** Rows as an aligned table. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
