import * as z from 'zod'
import type { Context } from '../contract/context.ts'
import { type HookName, type HookRun, hookFilters, hookKinds } from '../contract/hooks.ts'
import { toolEffects } from '../contract/model.ts'
import type { Call } from '../contract/wire.ts'
import { defineKind, type Problem, repeated } from './contract.ts'
import { entry, environmentName, jsonSchema, name } from './fields.ts'

/** Default export of an entry file of hooks. */
export interface Hooks<C = unknown> {
  open(context: Context<C>, call: Call): Promise<OpenHooks>
}

/** Hooks that are open. */
export interface OpenHooks {
  /** Exactly the hooks that the manifest declares. */
  readonly hooks: { readonly [Name in HookName]?: HookRun<Name> }
}

const hook = z.strictObject({
  name: z.enum(Object.keys(hookKinds) as [HookName, ...HookName[]]),
  /** Compared by the host before any code is loaded: each named field of the event must be one of these. */
  filter: z.record(z.string(), z.array(z.string()).min(1)).default({}),
  /** Shorter than the host's own limit, in milliseconds. */
  budgetMs: z.int().min(1).optional(),
  /** Lower runs earlier. */
  stage: z.int().default(0),
})

const hooks = z.strictObject({
  id: name,
  entry,
  label: z.string(),
  hooks: z.array(hook).min(1),
  configSchema: jsonSchema.optional(),
  env: z.array(environmentName).default([]),
  /** Off until the plugin is switched on by name; only what came with agent needs to say so. */
  onByDefault: z.boolean().default(true),
})

/** A set of hooks, as the manifest has it. */
export type HooksManifest = z.output<typeof hooks>

export const hooksKind = defineKind({
  spec: hooks,
  problems: (set, path) => [
    ...repeated(
      set.hooks.map((hook) => hook.name),
      `${path}.hooks`,
    ),
    ...filterProblems(set, path),
  ],
})

/** A filter by something that no event has would keep a hook silent for ever, and a gate open. */
function filterProblems({ hooks }: HooksManifest, at: string): readonly Problem[] {
  return hooks.flatMap(({ name, filter }) =>
    Object.entries(filter).flatMap(([field, words]): readonly Problem[] => {
      const path = `${at}.${name}.filter.${field}`
      if (!hookFilters[name].some((known) => known === field))
        return [{ path, problem: `is no field that ${name} can be filtered by: it has ${hookFilters[name].join(', ')}` }]
      const effects: readonly string[] = toolEffects
      const strange = field === 'effect' ? words.filter((word) => !effects.includes(word)) : []
      return strange.map((word) => ({ path, problem: `names ${word}; the effects are ${effects.join(', ')}` }))
    }),
  )
}
