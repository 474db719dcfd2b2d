import * as z from 'zod'
import { environmentName } from './fields.ts'

/** Said as a pattern, because manifests are checked without zod where they hold no other words. */
const address = z.string().regex(/^https?:\/\/[^\s/]+/)
/** A JSON pointer (RFC 6901). */
const pointer = z.string().regex(/^(\/[^/]+)+$/)

const client = {
  /** Where the endpoints are looked up, unless they are given. */
  issuer: address.optional(),
  tokenUrl: address.optional(),
  /** Absent: a person puts one into the variable `clientIdEnv`, because this program has no id there. */
  clientId: z.string().optional(),
  /** A variable that holds another client id. */
  clientIdEnv: environmentName.optional(),
  /** A variable that holds the secret of that client, where the service gives out both. */
  clientSecretEnv: environmentName.optional(),
  scopes: z.array(z.string()).default([]),
  /** How long before its end a token is renewed. */
  renewSeconds: z.int().min(0).default(120),
}

const cli = z.strictObject({
  kind: z.literal('cli'),
  /** The program whose login is read where that keeps it; it renews it, too. */
  program: z.string(),
  /** `~` is the person's home. */
  file: z.string().regex(/^~?\//),
  tokenAt: pointer,
  /** When the token ends: milliseconds or seconds since 1970, or a date. */
  expiresAt: pointer.optional(),
  /** Headers of each request whose values are in the same file. */
  headers: z.record(z.string(), pointer).default({}),
})

/** How a person logs in to a provider, as data. */
export const login = z.union([
  z.strictObject({
    kind: z.literal('device-code'),
    ...client,
    deviceUrl: address.optional(),
    /** `user-code`: what is typed in is also what is asked with, and PKCE proves who began. */
    grant: z.enum(['device-code', 'user-code']).default('device-code'),
  }),
  z.strictObject({
    kind: z.literal('pkce'),
    ...client,
    authorizationUrl: address.optional(),
    /** Where the browser is sent on this machine; the code can be pasted all the same. */
    loopback: z
      .strictObject({
        host: z.enum(['127.0.0.1', 'localhost']).default('127.0.0.1'),
        /** 0: any free one. */
        port: z.int().min(0).max(65_535).default(0),
        path: z.string().regex(/^\//),
      })
      .optional(),
    /** The vendor's page that shows the code, where it does not send the browser back. */
    redirectUrl: address.optional(),
    /** Makes a lasting key of the code, in place of tokens. */
    mintUrl: address.optional(),
    /** Stands in the address of the page beside what every service is told. */
    parameters: z.record(z.string(), z.string()).default({}),
    /** Stands in where nobody gave a client id and that program has a login. */
    orElse: cli.optional(),
  }),
  cli,
])

/** What a token of a login, or a key, is turned into before requests carry it. */
export const exchange = z.strictObject({
  /** Asked by GET. */
  url: address,
  /** What stands before the token in the `authorization` header there. */
  scheme: z.string().default('Bearer'),
  tokenAt: pointer,
  /** When it ends, by the clock of that server. */
  expiresAt: pointer.optional(),
})

/** What is missing or contradicts itself in a login. */
export function findLoginProblems(
  given: z.output<typeof login>,
  path: string,
): readonly { readonly path: string; readonly problem: string }[] {
  if (given.kind === 'cli') return []
  const isMinted = given.kind === 'pkce' && given.mintUrl !== undefined
  const page = given.kind === 'pkce' ? given.authorizationUrl : given.deviceUrl
  return [
    ...(given.issuer || (page && (given.tokenUrl || isMinted)) ? [] : [{ path, problem: 'needs an issuer, or each address' }]),
    ...(given.clientId || given.clientIdEnv || isMinted
      ? []
      : [{ path, problem: 'needs a clientId, or a variable for it in clientIdEnv' }]),
    ...(given.kind === 'pkce' && !given.loopback && !given.redirectUrl ? [{ path, problem: 'needs loopback or redirectUrl' }] : []),
  ]
}
