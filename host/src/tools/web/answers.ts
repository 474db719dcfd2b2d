import type { WebSource } from '@agent/plugin-sdk'
// zod/mini, and this file is imported at the first answer only: most starts ask no backend.
import * as z from 'zod/mini'
import { describeIssue } from '#kernel/schema/describe-issue.ts'
import type { WebMethod } from './find-backend.ts'

export type WebAnswer<Method extends WebMethod> = Awaited<ReturnType<Required<WebSource>[Method]>>

const page = z.object({ url: z.string(), title: z.string(), text: z.string() })

const answers = {
  search: z.array(z.object({ url: z.string(), title: z.string(), excerpt: z.string() })),
  extract: page,
  crawl: z.array(page),
} satisfies { readonly [Method in WebMethod]: z.ZodMiniType<WebAnswer<Method>> }

/** What a backend answered, if it fits. Fields that nobody reads are dropped. */
export function readAnswer<Method extends WebMethod>(method: Method, answer: unknown): WebAnswer<Method> {
  const read = answers[method].safeParse(answer)
  if (read.success) return read.data as WebAnswer<Method>
  const { path, problem } = describeIssue(read.error.issues)
  throw new Error(`its answer does not fit: ${path} ${problem}`)
}
