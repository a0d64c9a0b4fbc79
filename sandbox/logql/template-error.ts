export class TemplateError extends Error {
  override name = 'TemplateError';
}
