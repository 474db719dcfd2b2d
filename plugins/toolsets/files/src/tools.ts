import { defineTools } from '@agent/plugin-sdk'
import * as z from 'zod'

const offset = z.int().min(0).max(1_000_000).optional()

export const tools = defineTools({
  read_file: {
    description: 'Read a text file as LINE|CONTENT. offset is the first line (from 1).',
    parameters: z.strictObject({
      path: z.string().min(1),
      offset: z.int().min(1).max(100_000_000).optional(),
      limit: z.int().min(1).max(2000).default(500),
    }),
    effect: 'read',
    replaySafe: true,
    parallel: true,
    guards: [{ argument: 'path', as: 'read-path' }],
    timeoutMs: 60_000,
  },
  write_file: {
    description: 'Write a whole file; missing folders are made. For changes of an existing file use patch.',
    parameters: z.strictObject({ path: z.string().min(1), content: z.string() }),
    effect: 'write',
    replaySafe: true,
    guards: [{ argument: 'path', as: 'write-path' }],
    timeoutMs: 60_000,
  },
  patch: {
    description: 'Replace old_string in a file by new_string. old_string must fit one place, unless replace_all is set.',
    parameters: z.strictObject({
      path: z.string().min(1),
      old_string: z.string().min(1),
      new_string: z.string(),
      replace_all: z.boolean().optional(),
    }),
    effect: 'write',
    guards: [{ argument: 'path', as: 'write-path' }],
    timeoutMs: 60_000,
  },
  search_files: {
    description: 'Search file contents by regular expression, or with target files find files by name glob.',
    parameters: z.strictObject({
      pattern: z.string().min(1).max(1000),
      target: z.enum(['content', 'files']).default('content'),
      path: z.string().min(1).default('.'),
      file_glob: z.string().min(1).max(200).optional(),
      limit: z.int().min(1).max(500).default(50),
      offset,
      output_mode: z.enum(['content', 'files_only', 'count']).default('content'),
      context: z.int().min(0).max(20).default(0),
    }),
    effect: 'read',
    replaySafe: true,
    parallel: true,
    guards: [{ argument: 'path', as: 'read-path' }],
    timeoutMs: 60_000,
  },
})
