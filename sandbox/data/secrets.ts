// Every secret here is FAKE: made up, or the example of a vendor's documentation. They are in the log lines so
// that the masking of whoever reads them can be tried.
const base64url = (value: string): string => Buffer.from(value).toString('base64url');

export const FAKE_SECRETS = {
  password: 'hunter2',
  jwt: [
    base64url('{"alg":"HS256","typ":"JWT"}'),
    base64url('{"sub":"fake-user","scope":"shop","note":"fake token of the sandbox"}'),
    base64url('fake-signature-of-the-sandbox!!!'),
  ].join('.'),
  // Key and secret of AWS's own documentation, fake by definition.
  cloudKey: 'AKIAIOSFODNN7EXAMPLE',
  cloudSecret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  databasePassword: 'fAk3-Pa55w0rd',
  cookie: 'fake5e551on0123456789abcdef0123456789',
} as const;

/** fake */
export const DATABASE_URL = `postgres://shop:${FAKE_SECRETS.databasePassword}@db.shop.internal:5432/shop?sslmode=require`;
