import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { didYouMean } from '../nearest.ts';
import { ConfigError } from './error.ts';
import type { Given } from './flags.ts';
import { SETTINGS, settingRow } from './table.ts';
import { clean } from './text.ts';

/** Settings of the YAML file. null and `""` are unset; an unknown key and a secret are refused. */
export function readConfigFile(path: string, where: string, warnings: string[]): Given[] {
  const document = readYaml(path, where);
  if (document === null || document === undefined) return [];
  if (typeof document !== 'object' || Array.isArray(document)) {
    throw new ConfigError(`${path} (${where}) must hold one mapping of settings, such as "grafanaUrl: https://…".`);
  }
  const given: Given[] = [];
  for (const [key, raw] of Object.entries(document)) {
    const row = settingRow(key);
    if (row === undefined || row.derived) {
      throw new ConfigError(`Unknown setting ${key} in ${path}${didYouMean(key, yamlKeys)}`);
    }
    if (row.flag === undefined) {
      throw new ConfigError(`${key} may not stand in ${path}: set ${row.env.join(' or ')} in the environment.`);
    }
    let value: unknown = raw;
    if (typeof raw === 'string') {
      const { text, trimmed } = clean(raw);
      if (trimmed) warnings.push(`${key} in ${path} had quotes or spaces around its value; they were removed.`);
      value = text;
    }
    if (value === null || value === undefined || value === '') continue;
    given.push({ key: row.key, value, where: `${key} in ${path}`, source: 'file' });
  }
  return given;
}

const yamlKeys = SETTINGS.filter((row) => row.flag !== undefined).map((row) => row.key);

function readYaml(path: string, where: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${where} names ${path}, which cannot be read (${errorCode(error)}).`);
  }
  try {
    return parse(text);
  } catch (error) {
    // yaml's message goes on with an excerpt of the file; the first line has the place.
    const [first] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new ConfigError(`${path} (${where}) is not valid YAML: ${first}`);
  }
}

/** `ENOENT` and its like; never a message, which may hold more. */
export function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown error';
}
