import { fail } from '@agent/plugin-sdk/errors'
import { writeEnvValues } from '#config/environment/env-file.ts'
import { isVariableOfAgent } from '#config/environment/variables.ts'
import { showText } from '#observe/printable.ts'
import { reloadGateway } from '#rpc/gateway/reload-gateway.ts'
import { openSkillGround } from '#rpc/skills/open-home-skills.ts'
import { hashForGrant } from '#skills/place-skill.ts'
import { writeGrant } from '#skills/secrets/grants.ts'
import type { Cli } from '../console/cli.ts'
import { type Asker, openAsker } from '../setup/asker.ts'

/** They say how programs run, and not what one of them may know. */
const steering =
  /^(PATH|HOME|USER|SHELL|TERM|IFS|ENV|TMPDIR|BASH_.*|LD_.*|DYLD_.*|NODE_.*|NPM_.*|PYTHON.*|PERL.*|RUBY.*|GEM_.*|GIT_.*|SSH_.*|XDG_.*)$/

/** Asks for the secrets that a skill declares, and gives them to its scripts. Who talks by a platform cannot do it. */
export async function setUpSecrets(cli: Cli, name: string): Promise<void> {
  const { home, loaded, skills } = await openSkillGround(cli)
  await skills.view({ name })
  const skill = (await skills.index()).skills.find((each) => each.name === name)
  const variables = skill?.variables ?? []
  if (!skill || variables.length === 0) {
    cli.out(`The skill ${name} needs no secrets.`)
    return
  }
  const odd = variables.find((each) => steering.test(each.name) || isVariableOfAgent(each.name))
  if (odd)
    throw fail('USAGE', {
      problem: `The skill ${name} wants ${odd.name}, which is no secret of a skill.`,
      try: `agent skills show ${name}`,
    })
  if (!cli.terminal)
    throw fail('USAGE', { problem: 'Secrets are typed at a terminal, and nobody is there.', try: `agent skills setup ${name}` })
  // What the person agrees to is what is read here.
  const hash = hashForGrant(skill.folder)
  if (hash === undefined)
    throw fail('USAGE', {
      problem: `A link in the skill ${name} leads out of its folder, so it gets no secret.`,
      try: `agent skills show ${name}`,
    })
  cli.out(`The scripts in ${showText(skill.folder)} get what you type here, in turns that read the skill. Read them first.`)
  using asker = openAsker(cli)
  const answers: Answer[] = []
  for (const { name: variable, prompt = '' } of variables)
    answers.push(await askFor(asker, { skill: name, name: variable, prompt, isSet: loaded.environment.has(variable) }))
  writeEnvValues(home.files.env, Object.fromEntries(answers.flatMap(({ name, value }) => (value ? [[name, value]] : []))))
  const given = answers.filter(({ isGiven }) => isGiven).map(({ name }) => name)
  writeGrant(home.files.skillGrants, name, { hash, variables: given })
  cli.out(
    given.length === 0 ? `The skill ${name} gets nothing.` : `The scripts of ${name} get ${given.join(', ')}, until a file of it changes.`,
  )
  for (const line of await reloadGateway(cli, home, { unchanged: 'The running gateway knows it from now on.' })) cli.out(line)
}

interface Answer {
  readonly name: string
  readonly isGiven: boolean
  readonly value?: string
}

async function askFor(
  asker: Pick<Asker, 'ask' | 'askSecret'>,
  { skill, name, prompt, isSet }: { readonly skill: string; readonly name: string; readonly prompt: string; readonly isSet: boolean },
): Promise<Answer> {
  if (isSet) {
    const answer = await asker.ask(`${name} is set already. May the scripts of ${skill} have it? [y/N] `)
    return { name, isGiven: /^y(es)?$/i.test(answer) }
  }
  const value = await asker.askSecret(`${name}${prompt === '' ? '' : `, ${prompt}`} (it is not shown; empty gives none): `)
  return { name, isGiven: value !== '', value }
}
