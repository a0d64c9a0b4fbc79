import type { RequestHandler } from 'express';

/** A call that takes longer than this has its headers sent before its answer. ms */
const PATIENCE = 50;

/**
 * The headers of a quick answer leave with it. The SDK sends them as soon as it opens the stream of a POST: that is a
 * packet and a waking of the client more for each call, and tells it nothing.
 */
export const headersWithAnswer: RequestHandler = (_request, response, next) => {
  const flush = response.flushHeaders.bind(response);
  let timer: NodeJS.Timeout | undefined;
  response.flushHeaders = () => {
    timer ??= setTimeout(() => {
      if (!response.destroyed) flush();
    }, PATIENCE);
  };
  response.once('close', () => clearTimeout(timer));
  next();
};
