import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import type {
  Accepted,
  ArgsOf,
  Blob,
  CommandAnswer,
  CommandRequest,
  ConfigOf,
  HttpRequest,
  InboundMessage,
  IsWire,
  ModelEvent,
  ModelMessage,
  ModelRequest,
  OutboundMessage,
  Receipt,
  SkillSummary,
  ToolOutcome,
  ToolResult,
  ToolSpec,
  TurnEvent,
  TurnRequest,
  Usage,
  Wire,
  WireError,
} from '../index.ts'
import { crosses, definePlugin, fail } from '../index.ts'

// These calls are proofs for the compiler: each fails to compile when its type holds more than JSON and bytes.
test('every message of the contracts crosses the border', () => {
  crosses<InboundMessage>()
  crosses<OutboundMessage>()
  crosses<Accepted>()
  crosses<Receipt>()
  crosses<TurnRequest>()
  crosses<TurnEvent>()
  crosses<ModelRequest>()
  crosses<ModelMessage>()
  crosses<ModelEvent>()
  crosses<SkillSummary>()
  crosses<ToolSpec>()
  crosses<ToolOutcome>()
  crosses<ToolResult>()
  crosses<CommandRequest>()
  crosses<CommandAnswer>()
  crosses<Usage>()
  crosses<Blob>()
  crosses<WireError>()
  crosses<HttpRequest>()
  crosses<Wire>()
})

test('what does not cross fails to compile', () => {
  // @ts-expect-error a Date is not JSON
  crosses<{ at: Date }>()
  // @ts-expect-error a function is not JSON
  crosses<{ list: readonly { run(): void }[] }>()
  // @ts-expect-error a Map is not JSON
  crosses<Map<string, string>>()
  // @ts-expect-error a bigint is not JSON
  crosses<{ n: bigint }>()
  // @ts-expect-error a promise is not JSON
  crosses<{ later?: Promise<string> }>()
  expectTypeOf<IsWire<{ readonly a?: readonly Uint8Array[] }>>().toEqualTypeOf<true>()
})

test('a definition gives its entries the types of configuration and arguments', () => {
  const definition = definePlugin({
    id: 'toolset-x',
    name: 'X',
    description: 'd',
    toolsets: {
      x: {
        label: 'X',
        config: z.object({ nick: z.string().default('bot'), port: z.int().optional() }),
        tools: { say: { description: 'd', effect: 'none', parameters: z.object({ text: z.string(), loud: z.boolean().default(false) }) } },
        entry: async () => ({ default: { open: async () => ({ tools: {} }) } }),
      },
    },
  })
  expectTypeOf<ConfigOf<typeof definition, 'toolsets', 'x'>>().toEqualTypeOf<{ nick: string; port?: number | undefined }>()
  expectTypeOf<ArgsOf<(typeof definition)['toolsets']['x']['tools'], 'say'>>().toEqualTypeOf<{ text: string; loud: boolean }>()
})

test('an error is made with the parameters of its code', () => {
  fail('INTERRUPTED')
  fail('PROFILE_NOT_FOUND', { profile: 'x' })
  // @ts-expect-error the parameter has another name
  fail('PROFILE_NOT_FOUND', { name: 'x' })
  // @ts-expect-error there is no such code
  expectTypeOf(() => fail('NO_SUCH_CODE')).toBeFunction()
})
