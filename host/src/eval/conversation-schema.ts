import { isAbsolute } from 'node:path'
import * as z from 'zod'
import { misfitOfPattern } from './pattern.ts'

const pattern = z
  .string()
  .min(1)
  .superRefine((text, context) => {
    const problem = misfitOfPattern(text)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  })

/** One text or several. */
const patterns = z
  .union([pattern, z.array(pattern)])
  .default([])
  .transform((given) => (typeof given === 'string' ? [given] : given))

const isInside = (path: string): boolean => path !== '' && !isAbsolute(path) && !path.split(/[/\\]/).includes('..')
/** By paths inside of the workspace. */
const filesOf = <Value extends z.ZodType>(value: Value) =>
  z.record(z.string().refine(isInside, { message: 'a path inside of the workspace is meant' }), value).default({})

const expectedCall = z.strictObject({
  name: z.string().min(1),
  /** Those that are not named may be anything. */
  args: z.record(z.string(), z.union([pattern, z.number(), z.boolean()])).default({}),
})

const expectation = z.strictObject({
  calls: z.array(expectedCall).default([]),
  /** Other calls may stand between them. */
  order: z.enum(['given', 'any']).default('given'),
  files: filesOf(pattern),
  answer: patterns,
  /** Of the answer and of the calls. */
  never: patterns,
})

const budget = z.strictObject({
  /** Of tools. */
  calls: z.int().min(0).optional(),
  seconds: z.number().positive().max(3600).optional(),
  tokens: z.int().positive().optional(),
})

/** Of a conversation, with all that works for it. */
const wholeBudget = z.strictObject({
  calls: z.int().min(0).optional(),
  /** To models. */
  requests: z.int().positive().optional(),
  seconds: z.number().positive().max(86_400).optional(),
  tokens: z.int().positive().optional(),
  /** Dollars. */
  money: z.number().positive().optional(),
})

const turn = z.strictObject({
  say: z.string().min(1),
  expect: expectation.default({ calls: [], order: 'given', files: {}, answer: [], never: [] }),
  budget: budget.default({}),
})

const scriptedCall = z.strictObject({ name: z.string().min(1), args: z.record(z.string(), z.unknown()).default({}) })

/** What the offline model says to one request. */
const scriptStep = z
  .strictObject({
    /** What it has to be given for that. */
    when: patterns,
    say: z.string().min(1).optional(),
    calls: z.array(scriptedCall).optional(),
  })
  .refine(({ say, calls }) => say !== undefined || (calls?.length ?? 0) > 0, { message: 'it needs say or calls' })

export const conversationSchema = z.strictObject({
  name: z.string().min(1).max(200),
  /** Folders with a SKILL.md, from the file of the conversation on. */
  skills: z.array(z.string().min(1)).default([]),
  /** Folders with an agent.plugin.json, in place of the plugins that the home links or has lying in it. */
  plugins: z.array(z.string().min(1)).default([]),
  toolsets: z.array(z.string().min(1)).optional(),
  /** What stands in the workspace before the first turn. */
  files: filesOf(z.string()),
  /** What is answered where the agent asks whether it may. */
  approve: z.union([z.enum(['yes', 'no']), z.boolean()]).default('no'),
  turns: z.array(turn).min(1),
  budget: wholeBudget.default({}),
  script: z.array(scriptStep).optional(),
})

export type ConversationText = z.output<typeof conversationSchema>
export type ConversationTurn = ConversationText['turns'][number]
