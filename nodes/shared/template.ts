/** Mustache templates for field values: no HTML escaping, and missing values are errors. */
import mustache from "mustache";

/** Replaces Mustache's writer, which renders missing values as empty and escapes the others for HTML. */
class StrictWriter extends mustache.Writer {
  override unescapedValue([, name]: string[], context: mustache.Context): string {
    const value: unknown = context.lookup(name!);
    if (value === undefined || value === null) throw new Error(`needs {{${name}}}, which has no value`);
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  }

  override escapedValue(token: string[], context: mustache.Context): string {
    return this.unescapedValue(token, context);
  }
}

/** Compiles a template. Throws an Error for a syntax error. Rendering throws an Error that names the first missing value. */
export function compileTemplate(template: string): (view: unknown) => string {
  const writer = new StrictWriter();
  writer.parse(template);
  return (view) => writer.render(template, view);
}
