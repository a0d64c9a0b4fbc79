import { type Marks, mark } from './mask-mark.ts';

const BEFORE = /[A-Za-z0-9._%+-]+$/;
const AFTER = /@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}/y;

export function maskEmails(text: string, marks: Marks): string {
  let out = '';
  let at = 0;
  for (let sign = text.indexOf('@'); sign !== -1; sign = text.indexOf('@', sign + 1)) {
    const local = BEFORE.exec(text.slice(Math.max(at, sign - 65), sign))?.[0];
    // A local part has 64 characters at most.
    if (local === undefined || local.length > 64) continue;
    AFTER.lastIndex = sign;
    const domain = AFTER.exec(text)?.[0];
    if (domain === undefined || !/\.[A-Za-z]{2,24}$/.test(domain)) continue;
    out +=
      text.slice(at, sign - local.length) + mark('email', marks, text.slice(sign - local.length, sign + domain.length));
    at = sign + domain.length;
  }
  return out + text.slice(at);
}

const CARD = /(?<![\w.-])[2-6](?:[ -]?\d){12,18}(?![.-]?\w)/g;

/** 13 to 19 digits, also in groups, whose Luhn sum is right. */
export function maskCards(text: string, marks: Marks): string {
  return text.replace(CARD, (found) => (luhn(found) ? mark('card', marks, found) : found));
}

function luhn(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const doubled = digit * 2;
    sum += i % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
