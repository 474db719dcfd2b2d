import type { ApprovalChoice } from '@agent/plugin-sdk'
import type { CreateElicitationRequest, PermissionOption, RequestPermissionRequest } from '@agentclientprotocol/sdk'
import type { AskedQuestion } from '#rpc/sessions/open-questions.ts'
import type { EditorPeer } from './client.ts'
import type { Updates } from './updates.ts'

export interface EditorQuestionOptions extends EditorPeer {
  readonly session: string
  readonly updates: Updates
  /** Hands an answer to the turn that waits for it. */
  answer(type: AskedQuestion['type'], id: string, value: string): Promise<unknown>
}

/** What turns ask, put to the person at the editor. */
export interface EditorQuestions {
  ask(question: AskedQuestion): void
  /** Nobody waits for the answer any more. */
  close(id: string): void
  closeAll(): void
}

const options: Readonly<Record<ApprovalChoice, PermissionOption>> = {
  once: { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
  session: { optionId: 'session', name: 'Allow for this session', kind: 'allow_always' },
  always: { optionId: 'always', name: 'Always allow', kind: 'allow_always' },
  deny: { optionId: 'deny', name: 'Deny', kind: 'reject_once' },
}

export function createEditorQuestions(about: EditorQuestionOptions): EditorQuestions {
  const open = new Map<string, AbortController>()
  return {
    ask: (question) => {
      const over = new AbortController()
      open.set(question.id, over)
      void put(about, question, over.signal)
        // An editor that cannot ask has not allowed anything.
        .catch(() => (question.type === 'approval.request' ? 'deny' : unanswered))
        .then((value) => (over.signal.aborted ? undefined : about.answer(question.type, question.id, value)))
        // It is over on the other side.
        .catch(() => undefined)
        .finally(() => open.delete(question.id))
    },
    close: (id) => open.get(id)?.abort(),
    closeAll: () => {
      for (const over of open.values()) over.abort()
    },
  }
}

const unanswered = 'Nobody answered. Decide by yourself, and say what you took for granted.'

function put(about: EditorQuestionOptions, question: AskedQuestion, signal: AbortSignal): Promise<string> {
  if (question.type === 'approval.request') return askPermission(about, question, signal)
  return about.can.elicitation?.form ? askForm(about, question, signal) : askChoice(about, question, signal)
}

async function askPermission(
  { client, session, updates }: EditorQuestionOptions,
  question: Extract<AskedQuestion, { type: 'approval.request' }>,
  signal: AbortSignal,
): Promise<string> {
  const request: RequestPermissionRequest = {
    sessionId: session,
    toolCall: updates.asked(question),
    options: question.choices.map((choice) => options[choice]),
  }
  const { outcome } = await client.request('session/request_permission', request, waiting(signal))
  const chosen = outcome.outcome === 'selected' ? question.choices.find((choice) => choice === outcome.optionId) : undefined
  return chosen ?? 'deny'
}

type Clarify = Extract<AskedQuestion, { type: 'clarify.request' }>

async function askForm({ client, session }: EditorQuestionOptions, { question, choices }: Clarify, signal: AbortSignal): Promise<string> {
  const [first, ...more] = choices
  const answer = { type: 'string' as const, title: 'Answer', ...(first === undefined ? {} : { enum: [first, ...more] }) }
  const request: CreateElicitationRequest = {
    ...{ sessionId: session, mode: 'form' as const, message: question },
    requestedSchema: { type: 'object' as const, properties: { answer }, required: ['answer'] },
  }
  const given = await client.request('elicitation/create', request, waiting(signal))
  const value =
    given.action === 'accept' && 'content' in given ? (given.content as { readonly answer?: unknown } | null)?.answer : undefined
  return typeof value === 'string' ? value : unanswered
}

/** Words cannot be typed into a question of permission: only its choices are offered. */
async function askChoice(
  { client, session }: EditorQuestionOptions,
  { id, question, choices }: Clarify,
  signal: AbortSignal,
): Promise<string> {
  if (choices.length === 0) return unanswered
  const request: RequestPermissionRequest = {
    sessionId: session,
    toolCall: { toolCallId: id, title: question, kind: 'think' as const, status: 'pending' as const },
    options: choices.map((name, at) => ({ optionId: String(at), name, kind: 'allow_once' as const })),
  }
  const { outcome } = await client.request('session/request_permission', request, waiting(signal))
  return (outcome.outcome === 'selected' ? choices[Number(outcome.optionId)] : undefined) ?? unanswered
}

const waiting = (signal: AbortSignal) => ({ cancellationSignal: signal, stopWaitingOnCancel: true })
