import * as z from 'zod'
import type { Context } from '../contract/context.ts'
import type { MemoryBlock, MemoryChange, MemoryHit, MemoryOwner } from '../contract/memory.ts'
import type { Call } from '../contract/wire.ts'
import { defineKind } from './contract.ts'
import { entry, environmentName, jsonSchema, name } from './fields.ts'

/** Default export of a memory provider's entry file. */
export interface MemoryProvider<C = unknown> {
  open(context: Context<C>, call: Call): Promise<OpenMemory>
}

/** What a memory provider opens: exactly the methods of its declared capabilities. An owner is valid until the call ends. */
export interface OpenMemory {
  /** What the prompt of a new session says. */
  snapshot?(owner: MemoryOwner, call: Call): Promise<readonly MemoryBlock[]>
  /** The block after the change. An entry that is there already is no failure. Rejects with MEMORY_UNCHANGED or MEMORY_FULL. */
  change?(owner: MemoryOwner, change: MemoryChange, call: Call): Promise<MemoryBlock>
  /** Best match first. */
  recall?(owner: MemoryOwner, query: string, call: Call): Promise<readonly MemoryHit[]>
}

const memory = z.strictObject({
  id: name,
  entry,
  label: z.string(),
  /** What is opened has exactly these methods. */
  capabilities: z.strictObject({
    snapshot: z.boolean().default(false),
    change: z.boolean().default(false),
    recall: z.boolean().default(false),
  }),
  /** Files in the folder of an owner: where none of them is there, the snapshot is empty, and nobody is asked for it. */
  files: z.array(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/)).default([]),
  configSchema: jsonSchema.optional(),
  /** A block of config.yaml whose keys of the same name are settings of this provider too. */
  configBlock: z.string().optional(),
  env: z.array(environmentName).default([]),
})

/** A memory provider, as the manifest has it. */
export type MemoryManifest = z.output<typeof memory>

export const memoryKind = defineKind({
  spec: memory,
  problems: ({ capabilities }, path) =>
    Object.values(capabilities).includes(true)
      ? []
      : [{ path: `${path}.capabilities`, problem: 'declares none: it needs snapshot, change or recall' }],
})
