import { type RequestHandler, Router } from 'express';

const EXPLANATION =
  'This gateway has no OAuth sign-in: it takes a bearer token in the header "Authorization: Bearer <token>". Your token is missing or was refused. Correct it in the settings of your client.';

/**
 * What clients ask when they believe that there is an OAuth server. Discovery is answered by a real 404, since clients
 * that find metadata ignore the headers they were given. Registration and sign-in get an error in the form of OAuth
 * (RFC 6749 5.2, RFC 7591 3.2.2): some clients show this text alone to the person whose token was refused.
 */
export function discovery(): Router {
  const router = Router();
  router.all('/.well-known/*path', notFound);
  router.all(['/register', '/authorize', '/token'], (_request, response) => {
    response.set('Cache-Control', 'no-store');
    response.status(400).json({ error: 'invalid_request', error_description: EXPLANATION });
  });
  return router;
}

const notFound: RequestHandler = (_request, response) => {
  response.status(404).json({ error: 'not_found', error_description: 'This gateway publishes no metadata.' });
};
