import { defineSection } from '../define-section.ts'

export const states = defineSection('States and transitions', {
  'state.gateway.bootstrap.seeded': {
    since: 2,
    hash: 'a59e3ac3b0e1',
    text: 'In a container without gateway_state.json the first boot writes gateway_state running, and the supervisor starts the gateway.',
  },
  'state.gateway.bootstrap.kept': {
    since: 2,
    hash: 'a59e3ac3b0e1',
    text: 'Later boots keep the stored state, so a gateway that was stopped stays stopped.',
  },
  'state.gateway.bootstrap.literal': { since: 2, hash: 'a59e3ac3b0e1', text: 'Any other value than running seeds nothing.' },
  'state.bootstrap.start': {
    since: 6,
    hash: '74087ad8e323',
    text: 'A first launch that finds no usable backend runs the stages in order, each as one quiet call of the installer that answers in JSON.',
  },
  'state.bootstrap.complete': {
    since: 6,
    hash: 'd38c4e7768b9',
    text: 'When all stages have succeeded, set-up is complete and the marker is written.',
  },
  'state.bootstrap.failed': {
    since: 6,
    hash: 'c7cd8f163e43',
    text: 'A stage that fails is remembered, and every later start of the backend fails at once with the same error until it is reset.',
  },
  'state.bootstrap.reset': {
    since: 6,
    hash: '22578ded357e',
    text: "agent:bootstrap:reset, sent by the user's retry, forgets the failure and runs the stages again.",
  },
  'state.bootstrap.unsupported': {
    since: 6,
    hash: '27beddae0279',
    text: 'A packaged app on a platform without the staged installer shows a command to copy and a link, and trying again is left to the user.',
  },
  'state.onboarding.confirming': {
    since: 6,
    hash: '52281f323de1',
    text: "When a login or key works and the run-time check passes, the provider's recommended model is saved through the model endpoint and shown for confirmation.",
  },
  'state.onboarding.change': {
    since: 6,
    hash: '4508ea4413d0',
    text: 'Choosing another model there shows at once and is taken back when saving fails.',
  },
  'state.onboarding.finished': { since: 6, hash: '29c8d7a3993c', text: 'Confirming ends onboarding and opens the chat.' },
  'state.composer.queued': {
    since: 6,
    hash: 'b38662f303a3',
    text: 'A draft sent while the agent works is queued, and the queue is still there after a reload.',
  },
  'state.composer.submitted': {
    since: 6,
    hash: 'f239c228e05d',
    text: 'When the session settles, one queued turn that nobody is editing is sent, and leaves the queue only after prompt.submit took it.',
  },
  'state.skill-seeding.off': {
    since: 4,
    hash: '87e3f0aaf59c',
    text: 'skills opt-out, or installing without skills, leaves .no-bundled-skills; from then on nothing is seeded or synchronised.',
  },
  'state.skill-seeding.on': { since: 4, hash: '99be7e7ec632', text: 'skills opt-in turns seeding on again, with --sync at once.' },
  'state.subagent.exit': {
    since: 4,
    hash: '84763fd0767b',
    text: 'A child that ends records completed, interrupted or max_iterations as its exit_reason.',
  },
})
