import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type ImageLook,
  manifestSchema,
  type OpenToolset,
  type ToolCall,
  type ToolContext,
  type ToolResult,
  type ToolRun,
} from '@agent/plugin-sdk'
import { bundleChild, openChild, openClone, openTestContext } from '@agent/plugin-sdk/testing'
import { tools } from '../src/tools.ts'
import toolset from '../src/toolset.ts'
import { openSite, type Site } from './site.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

export interface BrowserRig {
  readonly site: Site
  /** What the person was asked, in their browser. */
  readonly questions: string[]
  /** What models were asked about pictures. */
  readonly looks: ImageLook[]
  /** The answer of the person. */
  answer: string
  /** What happens before the person answers. */
  onQuestion(): Promise<void>
  readonly context: ToolContext
  run(tool: string, args?: object, more?: { readonly session?: string; readonly signal?: AbortSignal }): Promise<ToolResult>
  /** The text of a result, with the sentence of a failure. */
  say(tool: string, args?: object, session?: string): Promise<string>
  close(): Promise<void>
}

export type Place = 'in this process' | 'in a child'

/** The toolset with a real browser, in this process or in a child, and a website that counts as the world. */
export async function openBrowserRig(place: Place, config: object = {}): Promise<BrowserRig> {
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(root, 'agent.plugin.json'), 'utf8')))
  const site = await openSite()
  const workspace = mkdtempSync(join(tmpdir(), 'browser-test-'))
  const looks: ImageLook[] = []
  const host = openTestContext({
    ...{ manifest, contribution: 'browser', web: { resolve: site.resolve } },
    config: { ...defaults, sandbox: process.getuid?.() !== 0, ...config },
    images: {
      // biome-ignore lint/correctness/useYield: nothing is painted here
      generate: async function* () {
        throw new Error('nothing is painted here')
      },
      describe: async (look) => {
        looks.push(look)
        return 'A page.'
      },
    },
  })
  const program = place === 'in a child' ? await bundleChild('toolset', join(root, 'src/toolset.ts')) : undefined
  const plugin = program ? await openChild('toolset', program.file) : openClone('toolset', toolset as never, manifest)
  let closed = false
  const forever = new AbortController().signal
  const opened: OpenToolset = await plugin.entry.open(host.context as never, { id: 'open', signal: forever, deadline: 60_000 })
  const rig: BrowserRig = {
    ...{ site, looks, questions: [], answer: 'Yes', onQuestion: async () => undefined, context: host.context as ToolContext },
    run: (tool, args = {}, { session = 'ses_1', signal = forever } = {}) => {
      const ask: ToolCall['ask'] = async ({ question }) => {
        rig.questions.push(question)
        await rig.onQuestion()
        return rig.answer
      }
      const toolCall = {
        id: 'call',
        args: tools[tool as keyof typeof tools].parameters.parse(args),
        session,
        turn: 'trn',
        workspace,
        progress: () => undefined,
        ask,
      } as unknown as ToolCall<never>
      return (opened.tools[tool] as ToolRun<never>)(toolCall, { id: 'call', signal, deadline: 300_000 })
    },
    say: async (tool, args = {}, session = 'ses_1') => {
      const result = await rig.run(tool, args, { session })
      return result.ok ? result.text : `${result.error.code}: ${JSON.stringify(result.error.params)}`
    },
    close: async () => {
      if (closed) return
      closed = true
      await plugin.control.dispose()
      await plugin[Symbol.asyncDispose]()
      await program?.[Symbol.asyncDispose]()
      await host.close()
      await site.close()
      rmSync(workspace, { recursive: true, force: true })
    },
  }
  return rig
}

const defaults = {
  ...{ executable: '', headed: false, allow_private_urls: false, cdp_url: '', inactivity_timeout: 120, command_timeout: 30 },
  ...{ snapshot_threshold: 15_000, dialog_policy: 'auto_dismiss' },
}

/** The name that a snapshot gives to the first element whose line has these words. */
export function refIn(text: string, words: string): string {
  const line = text.split('\n').find((each) => each.includes(words) && each.includes('[@e'))
  return /\[(@e\d+)\]/.exec(line ?? '')?.[1] ?? `no ${words} in: ${text}`
}
