import { expect, test } from 'vitest'
import { defaultConfig } from './schema/defaults.ts'
import { needsRestart, whenTaken } from './takes-effect.ts'

test('a setting is taken as the longest name says that is known of it', () => {
  const taken = ['display.show_reasoning', 'display.theme_mode', 'model.default', 'model', 'agent.max_turns', 'agent.image_input']
  expect(taken.map(whenTaken)).toEqual(['reload', 'never', 'reload', 'reload', 'restart', 'reload'])
  expect(['skills.config.tea.sort', 'skills.creation_nudge_interval'].map(whenTaken)).toEqual(['reload', 'restart'])
  expect(whenTaken('constructor')).toBe('never')
})

test('only these sections are for no gateway', () => {
  expect(Object.keys(defaultConfig).filter((name) => whenTaken(name) === 'never')).toEqual([
    ...['_config_version', 'display', 'dashboard', 'stt', 'updates'],
  ])
})

test('variables of plugins, and those that shadow what is read again, need no restart', () => {
  expect(['OPENAI_API_KEY', 'IRC_SERVER', 'AGENT_INFERENCE_PROVIDER', 'GATEWAY_ALLOWED_USERS'].map(needsRestart)).toEqual([
    ...[false, false, false, false],
  ])
  expect(['AGENT_EPHEMERAL_SYSTEM_PROMPT', 'AGENT_MAX_ITERATIONS'].map(needsRestart)).toEqual([true, true])
})
