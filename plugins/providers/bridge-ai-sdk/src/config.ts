import * as z from 'zod'

const free = z.record(z.string(), z.unknown())

const entry = z.strictObject({
  package: z.string().min(1).describe('Its name on npm, such as @ai-sdk/openai-compatible'),
  export: z.string().min(1).optional().describe('What it exports: a function create… , a provider or a model; absent: its only create…'),
  options: free.optional().describe('What that function is given, without the key'),
  env: z
    .enum(['AI_SDK_API_KEY', 'AI_SDK_API_KEY_2', 'AI_SDK_API_KEY_3'])
    .optional()
    .describe('The variable that holds its key; it is given as the option apiKey'),
  method: z.string().min(1).optional().describe('The method of the provider that makes a model; absent: languageModel'),
  models: z.array(z.string().min(1)).optional().describe('Models that are listed: the packages do not say which there are'),
  request: z.record(z.string(), free).optional().describe('Provider options that go with each request'),
  system: z.record(z.string(), free).optional().describe('Provider options of the system prompt, such as a mark for a cache'),
})

/** Packages with models, each under the name that stands before the slash of a model. */
export const config = z.strictObject({
  folder: z.string().regex(/^\//).optional().describe('The folder in which npm has installed the packages'),
  packages: z.record(z.string().regex(/^[^/]+$/), entry).optional(),
})

export type BridgeConfig = z.output<typeof config>
export type PackageEntry = z.output<typeof entry>
