/** Types of the input of a declaration and of its validated values. */
import type { z } from "zod";
import type { Callable, Declaration, Parameter, Shape } from "./operation";

type CallerSchema<P> =
  P extends Parameter<infer S, infer By>
    ? By extends "caller"
      ? S
      : never
    : P extends z.ZodType
      ? P
      : never;

type CallerShape<S> = {
  -readonly [K in keyof S as CallerSchema<S[K]> extends never ? never : K]: CallerSchema<S[K]>;
};

type MayBeLeftOut = { _zod: { optin: string } };

type InputOfShape<C> = {
  [K in keyof C as C[K] extends MayBeLeftOut ? never : K]: z.input<C[K]>;
} & {
  [K in keyof C as C[K] extends MayBeLeftOut ? K : never]?: z.input<C[K]> | undefined;
};

type InputAt<D, Location extends string> = D extends { readonly [P in Location]: infer S extends Shape }
  ? InputOfShape<CallerShape<S>>
  : unknown;

type Flat<T> = { [K in keyof T]: T[K] } & {};

type DocumentOf<D> = D extends {
  readonly document: { readonly name: infer Name extends string; readonly schema: infer S extends z.ZodType };
}
  ? InputOfShape<{ [N in Name]: S }>
  : unknown;

/** The caller's input: one flat object with the field names of the contract. */
export type InputOf<D extends Callable> = Flat<
  InputAt<D, "input"> &
    InputAt<D, "parameters"> &
    InputAt<D, "query"> &
    InputAt<D, "headers"> &
    (D extends { body: { shape: infer S } } ? InputOfShape<S> : unknown) &
    DocumentOf<D>
>;

type SchemaOf<P> = P extends { readonly schema: infer S } ? S : P;

type ValueOf<P> = SchemaOf<P> extends z.ZodType ? z.output<SchemaOf<P>> : never;

type ValuesOfShape<S> = {
  readonly [K in keyof S as undefined extends ValueOf<S[K]> ? never : K]: ValueOf<S[K]>;
} & {
  readonly [K in keyof S as undefined extends ValueOf<S[K]> ? K : never]?: ValueOf<S[K]>;
};

type ValuesAt<D, Location extends string> = D extends { readonly [P in Location]: infer S }
  ? ValuesOfShape<S>
  : unknown;

/** The validated values of all fields of an operation, with defaults applied. */
export type ValuesOf<D extends Declaration> = Flat<
  ValuesAt<D, "parameters"> &
    ValuesAt<D, "query"> &
    ValuesAt<D, "headers"> &
    (D extends { body: { shape: infer S } } ? ValuesOfShape<S> : unknown) &
    (D extends { document: { readonly name: infer N extends string; readonly schema: infer S } }
      ? ValuesOfShape<{ readonly [Name in N]: S }>
      : unknown)
>;
