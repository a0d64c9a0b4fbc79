/** `ip("192.168.0.0/16")`: one address, a CIDR block or a range, IPv4 or IPv6. */
export type IpTest = (address: string) => boolean;

interface Address {
  bits: 32 | 128;
  value: bigint;
}

/** Throws an Error whose message is Loki's. */
export function parseIpPattern(pattern: string): IpTest {
  const range = ipRange(pattern);
  if (range === undefined) throw new Error(`ip: invalid pattern: ${JSON.stringify(pattern)}`);
  const { low, high } = range;
  return (text) => {
    const address = parseIp(text);
    return (
      address !== undefined && address.bits === low.bits && address.value >= low.value && address.value <= high.value
    );
  };
}

function ipRange(pattern: string): { low: Address; high: Address } | undefined {
  const single = parseIp(pattern);
  if (single !== undefined) return { low: single, high: single };
  const [from, to] = pattern.split('-');
  if (from !== undefined && to !== undefined) {
    const low = parseIp(from.trim());
    const high = parseIp(to.trim());
    return low !== undefined && high !== undefined && low.bits === high.bits && low.value <= high.value
      ? { low, high }
      : undefined;
  }
  const [base, length] = pattern.split('/');
  const address = parseIp(base ?? '');
  if (address === undefined || length === undefined || !/^\d+$/.test(length) || Number(length) > address.bits)
    return undefined;
  const host = (1n << BigInt(address.bits - Number(length))) - 1n;
  const low = address.value & ~host;
  return { low: { ...address, value: low }, high: { ...address, value: low | host } };
}

function parseIp(text: string): Address | undefined {
  const v4 = parseV4(text);
  if (v4 !== undefined) return { bits: 32, value: v4 };
  if (!text.includes(':')) return undefined;
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => groups(half));
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const all = [...head, ...new Array<bigint>(missing).fill(0n), ...(tail ?? [])];
  return { bits: 128, value: all.reduce((value, group) => (value << 16n) | group, 0n) };
}

function parseV4(text: string): bigint | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function groups(text: string): bigint[] | undefined {
  if (text === '') return [];
  const found: bigint[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    const v4 = index === parts.length - 1 ? parseV4(part) : undefined;
    if (v4 !== undefined) found.push(v4 >> 16n, v4 & 0xffffn);
    else if (/^[0-9a-fA-F]{1,4}$/.test(part)) found.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return found;
}

const CANDIDATE = /[0-9a-fA-F:.]*[:.][0-9a-fA-F:.]*/g;

/** Whether any address in the line passes. */
export function lineHasIp(line: string, test: IpTest): boolean {
  for (const [candidate] of line.matchAll(CANDIDATE)) {
    if (test(candidate) || test(candidate.replace(/[:.]+$/, '')) || test(candidate.replace(/:\d+$/, ''))) return true;
  }
  return false;
}
