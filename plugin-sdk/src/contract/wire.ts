/**
 * What may cross the border between host and plugin: JSON plus bytes.
 * No Date, Map, class instance, bigint or function: a plugin that runs in process today may run in a child process tomorrow.
 */
export type Wire = null | boolean | number | string | Uint8Array | readonly Wire[] | { readonly [key: string]: Wire | undefined }

/** True when every value that `T` can hold may cross the border. */
export type IsWire<T> = T extends Wire | undefined
  ? true
  : T extends (...args: never[]) => unknown
    ? false
    : T extends readonly (infer Item)[]
      ? IsWire<Item>
      : T extends object
        ? T extends Date | Map<unknown, unknown> | Set<unknown> | Promise<unknown>
          ? false
          : false extends { [Key in keyof T]: IsWire<T[Key]> }[keyof T]
            ? false
            : true
        : unknown extends T
          ? true
          : false

/** Compile-time proof that `T` crosses the border: `crosses<InboundMessage>()` fails to compile when it holds a Date or a function. */
export function crosses<T>(..._proof: false extends IsWire<T> ? [never] : []): void {}

/** Comes as the last parameter of every call over the border. */
export interface Call {
  /** Names this call in logs and in cancellation frames. */
  readonly id: string
  /** Fires when the caller gives up; the callee stops what it is doing and rejects or ends. */
  readonly signal: AbortSignal
  /** Milliseconds that remain for this call when it was made; `Infinity` never crosses, so a call without a limit carries 2^31 − 1. */
  readonly deadline: number
}

/** An error as it crosses the border: class and stack are lost, code and parameters are kept. */
export interface WireError {
  readonly code: string
  readonly params: Readonly<Record<string, string | number | boolean>>
  /** How long the other side asked us to wait, in milliseconds. */
  readonly retryAfterMs?: number
}

/** Handle to a file in the host-owned cache; its bytes are read with `context.files.read`. */
export interface Blob {
  readonly blob: string
  readonly mime: string
  /** Size in bytes. */
  readonly bytes: number
  readonly name?: string
}
