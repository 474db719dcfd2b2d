import type { Button, Clock, InboundMessage, Log, Press, PressAnswer, TurnEvent } from '@agent/plugin-sdk'
import type { PluginNotifiers } from '#agent/notifiers/plugin-notifiers.ts'
import type { AgentTurns } from '#agent/turn/turns.ts'
import type { SlashServices } from '#commands/slash.ts'
import type { Home } from '#config/home/home.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { newId } from '#kernel/ids.ts'
import type { Claim, Journal } from '#store/journal.ts'
import type { Reception } from '../authorise/reception.ts'
import { hasAdmin, isAdmin } from '../authorise/user-tiers.ts'
import type { Replies } from '../outbound/replies.ts'
import type { PlatformRules } from '../rules/platform-rules.ts'
import { sessionKeyOf } from '../rules/session-key.ts'
import { findCommand } from './answer-command.ts'
import { type Choice, describeQuestion, type Question, readReply, toQuestion } from './question-text.ts'
import { createWaitingQuestions, type Open, type WaitingQuestions } from './waiting-questions.ts'

export interface AskPeopleOptions {
  readonly home: Pick<Home, 'profile'>
  readonly journal: Pick<Journal, 'say'>
  /** Hands an answer to the turn that waits for it; false when it does not wait any more. */
  readonly turns: Pick<AgentTurns, 'answer'>
  readonly notifiers: Pick<PluginNotifiers, 'announce'>
  readonly replies: Pick<Replies, 'parts'>
  readonly catalog: Pick<Catalog, 'find' | 'of'>
  readonly services: Pick<SlashServices, 'skills'>
  readonly rules: Pick<PlatformRules, 'of'>
  readonly reception: Pick<Reception, 'isKnown'>
  readonly clock: Clock
  readonly log: Log
}

/** Puts the questions of running turns to the people on a platform. */
export interface AskPeople {
  /** Takes what a running turn tells; questions among it are asked in its conversation. */
  hear(claim: Claim, event: TurnEvent): void
  /** Forgets the questions of a turn that is over. */
  close(claim: Claim): void
  /** A button was pressed. */
  press(platform: string, press: Press): Promise<PressAnswer>
  /** Whether a message would answer an open question. */
  expects(platform: string, message: InboundMessage): boolean
  /** Takes a message as the answer to an open question; undefined when it is none. */
  reply(platform: string, message: InboundMessage): Promise<string | undefined>
  /** Answers the oldest open approval with a choice, or its denial; undefined when none is open. */
  decide(platform: string, message: InboundMessage, choice: string): Promise<string | undefined>
  /** For the owner of the machine, who may see and answer all. */
  readonly waiting: WaitingQuestions
}

/** So many answers are remembered for those who press later. */
const mostAnswered = 200
const tooLate: PressAnswer = { status: 'late', text: 'This question is not open any more.' }
const notYours: PressAnswer = { status: 'refused', text: 'Only the person who is asked, or an admin, can answer this.' }

export function createAskPeople(options: AskPeopleOptions): AskPeople {
  const { clock, log } = options
  const open = new Set<Open>()
  const answered = rememberAnswers()
  const settingsOf = (platform: string) => options.rules.of(platform).settings

  const ask = async (claim: Claim, question: Question): Promise<void> => {
    if (question.type === 'approval' && !isKnown(claim) && !hasAdmin(settingsOf(claim.platform), claim.message)) {
      await options.turns.answer(question.id, 'deny')
      return
    }
    const asked: Open = { id: newId('ask', clock), claim, question }
    open.add(asked)
    await put(options, asked)
  }
  const isKnown = ({ platform, message }: Claim): boolean => options.reception.isKnown(platform, message)
  // Whom the owner does not know may say what they mean, and allows nothing.
  const mayAnswer = ({ claim, question }: Open, platform: string, who: Pick<InboundMessage, 'sender' | 'conversation'>): boolean =>
    isAdmin(settingsOf(platform), who) ||
    (isSamePerson(claim.message.sender, who.sender) && (question.type === 'clarify' || isKnown(claim)))
  const isHere = (
    { claim }: Open,
    platform: string,
    { account, conversation }: Pick<InboundMessage, 'account' | 'conversation'>,
  ): boolean => claim.platform === platform && claim.message.account === account && claim.message.conversation.id === conversation.id
  const give = async (asked: Open, value: string): Promise<boolean> => {
    open.delete(asked)
    return answered.note(asked, value, await options.turns.answer(asked.question.id, value))
  }
  const openFor = (platform: string, message: InboundMessage): readonly Open[] =>
    open.size === 0 || findCommand(options, message) !== undefined ? [] : openHere(platform, message)
  const openHere = (platform: string, message: InboundMessage): readonly Open[] =>
    [...open].filter((one) => isHere(one, platform, message) && mayAnswer(one, platform, message))

  return {
    waiting: createWaitingQuestions(open, give),
    hear(claim, event) {
      const question = toQuestion(event)
      if (!question) return
      ask(claim, question).catch((error: unknown) => {
        log.error('a question could not be asked', { platform: claim.platform, error: String(error) })
      })
    },
    close(claim) {
      for (const one of open) if (one.claim.seq === claim.seq) open.delete(one)
    },
    async press(platform, press) {
      const [id = '', index = ''] = press.button.split(':')
      const asked = [...open].find((one) => one.id === id && isHere(one, platform, press))
      const choice = asked?.question.choices[Number(index)]
      if (!asked || !choice) return answered.late(id)
      if (!mayAnswer(asked, platform, press)) return notYours
      return (await give(asked, choice.value)) ? { status: 'taken', text: choice.done } : tooLate
    },
    expects: (platform, message) => openFor(platform, message).some(({ question }) => readReply(question, message.text) !== undefined),
    async reply(platform, message) {
      for (const asked of openFor(platform, message)) {
        const choice = readReply(asked.question, message.text)
        if (choice && (await give(asked, choice.value))) return choice.done
      }
      return undefined
    },
    async decide(platform, message, wanted) {
      for (const asked of openHere(platform, message)) {
        const choice = asked.question.type === 'approval' ? asked.question.choices.find(({ value }) => value === wanted) : undefined
        if (choice && (await give(asked, choice.value))) return choice.done
      }
      return undefined
    },
  }
}

async function put(options: AskPeopleOptions, asked: Open): Promise<void> {
  const { claim, question } = asked
  const spec = options.catalog.find('platform', claim.platform)?.spec
  const hasButtons = spec?.capabilities.buttons === true && question.choices.length <= spec.limits.buttons && question.choices.length > 0
  const parts = await options.replies.parts(claim, describeQuestion(question, { hasButtons }))
  const last = parts.at(-1)
  if (!last) return
  await options.journal.say(claim, hasButtons ? [...parts.slice(0, -1), { ...last, buttons: buttonsOf(asked) }] : parts)
  await announce(options, asked)
}

/** Notifiers hear of a question once it is on its way to its conversation, and only while it waits there. */
async function announce(options: AskPeopleOptions, { id, claim: { platform, message }, question: { type, text } }: Open): Promise<void> {
  const origin = sessionKeyOf(options, platform, message)
  const about = { id, question: id, at: options.clock.now(), origin }
  await options.notifiers.announce({ ...about, name: 'question.waiting', data: { kind: type, text } }).catch((error: unknown) => {
    options.log.error('notifiers do not hear of a question', { platform, error: String(error) })
  })
}

interface Answers {
  /** Keeps an answer that was taken. */
  note(asked: Open, value: string, isTaken: boolean): boolean
  /** What somebody is told who answers after another. */
  late(id: string): PressAnswer
}

function rememberAnswers(): Answers {
  const answered = new Map<string, string>()
  return {
    note({ id, question }, value, isTaken) {
      if (isTaken) answered.set(id, question.choices.find((choice) => choice.value === value)?.done ?? '')
      const [oldest] = answered.keys()
      if (answered.size > mostAnswered && oldest !== undefined) answered.delete(oldest)
      return isTaken
    },
    late(id) {
      const done = answered.get(id)
      return done ? { status: 'late', text: `This was answered already: ${done}` } : tooLate
    },
  }
}

function buttonsOf({ id, question }: Open): readonly Button[] {
  return question.choices.map(({ label, style }: Choice, index) => ({ id: `${id}:${index}`, label, ...(style ? { style } : {}) }))
}

function isSamePerson(one: InboundMessage['sender'], other: InboundMessage['sender']): boolean {
  return one.id === other.id
}
