import type { Button, Clock, InboundMessage, Log, PlatformManifest, Press, PressAnswer, TurnEvent } from '@agent/plugin-sdk'
import { newId } from '#kernel/ids.ts'
import type { AnswerPart, Claim, Journal } from '#store/journal.ts'
import { type Choice, describeQuestion, type Question, readReply, toQuestion } from './question-text.ts'

export interface AskPeopleOptions {
  readonly journal: Pick<Journal, 'say'>
  /** Hands an answer to the turn that waits for it; false when it does not wait any more. */
  readonly answer: (request: string, value: string) => Promise<boolean>
  /** Cuts what is said into the messages of the platform. */
  readonly parts: (claim: Claim, text: string) => Promise<readonly AnswerPart[]>
  readonly spec: (platform: string) => PlatformManifest | undefined
  readonly isAdmin: (platform: string, who: Pick<InboundMessage, 'sender' | 'conversation'>) => boolean
  /** Whether an admin is named who could answer there. */
  readonly hasAdmin: (platform: string, where: Pick<InboundMessage, 'conversation'>) => boolean
  /** Whether a message is a command, and so no answer. */
  readonly isCommand: (message: InboundMessage) => boolean
  /** Whether the owner has let in this very person. */
  readonly isKnown: (platform: string, message: InboundMessage) => boolean
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
}

interface Open {
  /** Short, because it is part of what a button carries. */
  readonly id: string
  readonly claim: Claim
  readonly question: Question
}

const tooLate: PressAnswer = { status: 'late', text: 'This question is not open any more.' }
const notYours: PressAnswer = { status: 'refused', text: 'Only the person who is asked, or an admin, can answer this.' }

export function createAskPeople(options: AskPeopleOptions): AskPeople {
  const { journal, clock, log } = options
  const open = new Set<Open>()

  const ask = async (claim: Claim, question: Question): Promise<void> => {
    if (question.type === 'approval' && !isKnown(claim) && !options.hasAdmin(claim.platform, claim.message)) {
      await options.answer(question.id, 'deny')
      return
    }
    const asked: Open = { id: newId('ask', clock), claim, question }
    open.add(asked)
    const spec = options.spec(claim.platform)
    const hasButtons = spec?.capabilities.buttons === true && question.choices.length <= spec.limits.buttons && question.choices.length > 0
    const parts = await options.parts(claim, describeQuestion(question, { hasButtons }))
    const last = parts.at(-1)
    if (!last) return
    await journal.say(claim, hasButtons ? [...parts.slice(0, -1), { ...last, buttons: buttonsOf(asked) }] : parts)
  }
  const isKnown = ({ platform, message }: Claim): boolean => options.isKnown(platform, message)
  // Whom the owner does not know may say what they mean, and allows nothing.
  const mayAnswer = ({ claim, question }: Open, platform: string, who: Pick<InboundMessage, 'sender' | 'conversation'>): boolean =>
    options.isAdmin(platform, who) || (isSamePerson(claim.message.sender, who.sender) && (question.type === 'clarify' || isKnown(claim)))
  const isHere = (
    { claim }: Open,
    platform: string,
    { account, conversation }: Pick<InboundMessage, 'account' | 'conversation'>,
  ): boolean => claim.platform === platform && claim.message.account === account && claim.message.conversation.id === conversation.id
  const give = async (asked: Open, value: string): Promise<boolean> => {
    open.delete(asked)
    return options.answer(asked.question.id, value)
  }
  const openFor = (platform: string, message: InboundMessage): readonly Open[] =>
    open.size === 0 || options.isCommand(message) ? [] : openHere(platform, message)
  const openHere = (platform: string, message: InboundMessage): readonly Open[] =>
    [...open].filter((one) => isHere(one, platform, message) && mayAnswer(one, platform, message))

  return {
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
      if (!asked || !choice) return tooLate
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

function buttonsOf({ id, question }: Open): readonly Button[] {
  return question.choices.map(({ label, style }: Choice, index) => ({ id: `${id}:${index}`, label, ...(style ? { style } : {}) }))
}

function isSamePerson(one: InboundMessage['sender'], other: InboundMessage['sender']): boolean {
  return one.id === other.id
}
