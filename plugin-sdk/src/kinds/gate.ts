import * as z from 'zod'
import type { Context } from '../contract/context.ts'
import type { Call, Wire } from '../contract/wire.ts'
import { defineKind } from './contract.ts'
import { entry, environmentName, jsonSchema, name } from './fields.ts'

/** Default export of a gate's entry file. */
export interface Gate<C = unknown> {
  open(context: Context<C>, call: Call): Promise<OpenGate>
}

/** A gate has the methods of its way. The host counts tries, keeps state and cookies, and admits nobody where one rejects or is late. */
export interface OpenGate {
  /** Of the way `password`: who has this name and password; null where nobody has who may come in. */
  check?(given: { readonly name: string; readonly password: string }, call: Call): Promise<GatePerson | null>
  /**
   * Of the way `redirect`: the address to which the browser goes, https or on this machine. It comes back to `returnTo` with the same `state` in its
   * query. `kept`, at most 1000 bytes of JSON, is handed to `finish` as it was; nobody reads or changes it on the way.
   */
  begin?(
    journey: { readonly returnTo: string; readonly state: string },
    call: Call,
  ): Promise<{ readonly url: string; readonly kept?: Wire }>
  /** Of the way `redirect`: who has come back; null where that is nobody who may come in. `query` holds what came with the browser, once each. */
  finish?(journey: GateReturn, call: Call): Promise<GatePerson | null>
  /** Of the way `redirect`, where there is one: the page that ends the login at the provider and leads back to `returnTo`; null where there is none. */
  end?(journey: { readonly returnTo: string }, call: Call): Promise<{ readonly url: string } | null>
}

/** A browser that is back. The host has seen to it that it is the one that left, and that `state` is the one it left with. */
export interface GateReturn {
  readonly returnTo: string
  readonly state: string
  readonly query: Readonly<Record<string, string>>
  /** What `begin` has given; null where that was nothing. */
  readonly kept: Wire
}

/** Somebody who may use the dashboard. */
export interface GatePerson {
  /** Always the same for the same person, and never that of another: it stands in the log of logins. At most 200 characters. */
  readonly id: string
}

const gate = z.strictObject({
  id: name,
  entry,
  /** Stands on the page of the login. */
  label: z.string().min(1).max(60),
  /** `password`: the page asks for a name and a password; `redirect`: the browser goes to another page and comes back. */
  way: z.enum(['password', 'redirect']),
  configSchema: jsonSchema.optional(),
  env: z.array(environmentName).default([]),
})

/** A gate, as the manifest has it. */
export type GateManifest = z.output<typeof gate>

export const gateKind = defineKind({ spec: gate })
