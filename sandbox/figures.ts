import { readFileSync, writeFileSync } from 'node:fs';

const README = new URL('./README.md', import.meta.url);

/**
 * For tests: the row of the README's table of figures as it stands there, and, with UPDATE_FIGURES=1, as it was just
 * counted. `row`: its first cell.
 */
export function figureInReadme(row: string, counted: string): string | undefined {
  const text = readFileSync(README, 'utf8');
  const line = new RegExp(`^\\| ${row} \\| (.*) \\|$`, 'm');
  if (process.env.UPDATE_FIGURES === '1') {
    writeFileSync(README, text.replace(line, `| ${row} | ${counted} |`));
    return counted;
  }
  return line.exec(text)?.[1];
}
