import type { Secrets } from '../contract/context.ts'
import { fail } from '../contract/errors.ts'

/** Reads variables that the manifest lists. What is not set or empty is undefined; what cannot be used throws ENV_INVALID. */
export interface Variables {
  /** Without white space around it; do not read passwords with it. */
  text(name: string): Promise<string | undefined>
  /** true, yes, on, 1 or false, no, off, 0. */
  switch(name: string): Promise<boolean | undefined>
  /** From 1, or from 0 where 0 stands for any free port. */
  port(name: string, options?: { readonly least?: 0 | 1 }): Promise<number | undefined>
  /** Words between commas, without empty ones. */
  list(name: string): Promise<readonly string[] | undefined>
}

/** The variables of a platform as values. */
export function readVariables(secrets: Pick<Secrets, 'find'>): Variables {
  const text = async (name: string): Promise<string | undefined> => (await secrets.find(name))?.trim() || undefined
  return {
    text,
    switch: async (name) => parseSwitch(name, await text(name)),
    port: async (name, { least = 1 } = {}) => parsePort(name, await text(name), least),
    list: async (name) =>
      (await text(name))
        ?.split(',')
        .map((word) => word.trim())
        .filter((word) => word !== ''),
  }
}

function parseSwitch(name: string, text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined
  if (/^(true|1|yes|on)$/i.test(text)) return true
  if (/^(false|0|no|off)$/i.test(text)) return false
  throw fail('ENV_INVALID', { name, problem: 'must be true or false' })
}

function parsePort(name: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined
  const port = Number(text)
  if (/^\d+$/.test(text) && port >= least && port <= 65_535) return port
  throw fail('ENV_INVALID', { name, problem: `must be a number from ${least} to 65535` })
}
