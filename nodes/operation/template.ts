/** Mustache templates that make values: nothing is escaped, and nothing may be missing. */
import mustache from "mustache";

/** Mustache's own writer leaves a gap where a value is missing and escapes the others for HTML. */
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

/** Renders a template. Throws an Error that names the first value that is missing, and for a template that is none. */
export function compileTemplate(template: string): (view: unknown) => string {
  const writer = new StrictWriter();
  writer.parse(template);
  return (view) => writer.render(template, view);
}
