// Parameters that several tools share, worded once.

export const datasource = {
  type: 'string',
  description: 'Uid or name. Needed only where several of the type exist and none is the default.',
} as const;

export const start = {
  type: 'string',
  description: 'RFC 3339, epoch, "now-1h", or a span before now such as "15m".',
} as const;

export const end = { type: 'string', description: 'As start; default now.' } as const;
