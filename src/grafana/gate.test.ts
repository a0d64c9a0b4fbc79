import { expect, test } from 'vitest';
import { createGate } from './gate.ts';

const open = new AbortController().signal;

test('places are handed on in order, each once, and lanes do not mix', async () => {
  const gate = createGate(1);
  const order: string[] = [];
  const enter = async (name: string, key = 'a') => {
    const leave = await gate.enter(key, open);
    order.push(name);
    return leave;
  };
  const first = await enter('1');
  const second = enter('2');
  const third = enter('3');
  await enter('other', 'b');
  expect(order).toEqual(['1', 'other']);
  first();
  first(); // leaving twice must not make a place out of nothing
  const leaveSecond = await second;
  expect(order).toEqual(['1', 'other', '2']);
  leaveSecond();
  (await third)();
  expect(order).toEqual(['1', 'other', '2', '3']);
});

test('who gives up while waiting takes no place', async () => {
  const gate = createGate(1);
  const first = await gate.enter('a', open);
  const abort = new AbortController();
  const second = gate.enter('a', abort.signal);
  abort.abort(new Error('gone'));
  await expect(second).rejects.toThrow('gone');
  first();
  await expect(gate.enter('a', open)).resolves.toBeTypeOf('function');
});

test('0 is no cap', async () => {
  const gate = createGate(0);
  await Promise.all(Array.from({ length: 100 }, () => gate.enter('a', open)));
});
