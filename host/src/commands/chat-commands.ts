import type { ApprovalChoice } from '@agent/plugin-sdk'
import type { RunningChild } from '#agent/delegation/children.ts'
import { sayRows } from './say-rows.ts'
import type { SlashCommand, SlashDoor } from './slash.ts'

const approvals: readonly ApprovalChoice[] = ['once', 'session', 'always']

const whoAmI: SlashCommand = {
  name: 'whoami',
  aliases: [],
  args: '',
  summary: 'Say who you are here and what you may do',
  surfaces: ['gateway'],
  run: ({ door }) => door.say(door.chat?.whoAmI() ?? ''),
}

const status: SlashCommand = {
  name: 'status',
  aliases: [],
  args: '',
  summary: 'Say what goes on in this conversation',
  surfaces: ['cli', 'gateway'],
  run: async ({ door }) => door.say(await door.status()),
}

const approve: SlashCommand = {
  name: 'approve',
  aliases: [],
  args: '[once|session|always]',
  summary: 'Allow what the agent asks for',
  surfaces: ['gateway'],
  run: async ({ args, door }) => {
    const choice = args === '' ? 'once' : approvals.find((each) => each === args.toLowerCase())
    if (!choice) return door.say(`/approve takes ${approvals.join(', ')} or nothing.`)
    door.say((await door.chat?.decide(choice)) ?? 'There is nothing to allow.')
  },
}

const deny: SlashCommand = {
  name: 'deny',
  aliases: [],
  args: '',
  summary: 'Deny what the agent asks for',
  surfaces: ['gateway'],
  run: async ({ door }) => door.say((await door.chat?.decide('deny')) ?? 'There is nothing to deny.'),
}

const background: SlashCommand = {
  name: 'background',
  aliases: ['bg'],
  args: '<what to do>',
  summary: 'Work on something beside this conversation, and say when it is done',
  surfaces: ['cli', 'gateway'],
  run: ({ args, door }) => (args === '' ? door.say('Say what is to be done: /background <what to do>') : door.startBackground(args)),
}

const plan: SlashCommand = {
  name: 'plan',
  aliases: [],
  args: '[task]',
  summary: 'Let the agent write a plan, and do nothing else yet',
  surfaces: ['cli', 'gateway'],
  asks: true,
  run: async ({ args, door, services }) => {
    const { planTurn } = await import('./answers/plan-turn.ts')
    const { text, instructions } = planTurn(args, services.now())
    await door.ask(text, { instructions })
  },
}

const agents: SlashCommand = {
  name: 'agents',
  aliases: [],
  args: '[stop <number> | steer <number> <words>]',
  summary: 'List the child agents that work in this conversation, stop one, or say something to it',
  surfaces: ['cli', 'gateway'],
  run: ({ args, door, services }) => {
    // Some work on behind a turn that is over.
    const session = door.session()
    const sessions = new Set([...door.working(), ...(session === undefined ? [] : [session])])
    const running = [...sessions].flatMap((each) => services.agents(each))
    if (args === '') return sayAgents(door, running)
    const [, stop, steer, words] = /^(?:stop\s+(\d+)|steer\s+(\d+)\s+(\S.*))$/is.exec(args) ?? []
    const number = stop ?? steer
    if (number === undefined) return door.say('/agents takes stop and a number of the list, steer with a number and words, or nothing.')
    const found = running.find((child) => child.number === Number(number))
    if (!found) return door.say(`No child agent ${number} works here. /agents lists those that do.`)
    door.say(words === undefined ? stopChild(found) : steerChild(found, door, words))
  },
}

function stopChild(child: RunningChild): string {
  child.stop()
  return `Child agent ${child.number} is told to stop.`
}

/** A child works with the rights of one person: what others say in the same conversation is no task for it. */
function steerChild(child: RunningChild, { origin }: SlashDoor, words: string): string {
  if (child.person !== origin?.people?.[0]?.sender.id)
    return `Child agent ${child.number} works for somebody else, who alone can tell it something.`
  child.say(words)
  return `Child agent ${child.number} hears it with its next step, unless it is done before.`
}

function sayAgents(door: SlashDoor, running: readonly RunningChild[]): void {
  if (running.length === 0) door.say('No child agent works here.')
  else
    sayRows(
      door,
      running.map(({ number, goal, doing, calls }) => {
        const does = doing === '' ? 'thinks' : `${doing} (call ${calls})`
        return [`${number}. ${goal.replaceAll(/\s+/g, ' ')}`, does]
      }),
    )
}

const setHome: SlashCommand = {
  name: 'sethome',
  aliases: [],
  args: '',
  summary: 'Let the agent report in this conversation',
  surfaces: ['gateway'],
  knownOnly: true,
  run: async ({ door }) => door.say((await door.chat?.setHome()) ?? ''),
}

/** Commands of a conversation; most of them only make sense on a platform: at the terminal everybody is the owner, and a question is answered where it stands. */
export const chatCommands: readonly SlashCommand[] = [whoAmI, status, approve, deny, background, plan, agents, setHome]
