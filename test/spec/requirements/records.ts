import { defineSection } from '../define-section.ts'

export const records = defineSection('Stored and returned records', {
  'response.id': {
    since: 2,
    hash: 'fa5d72908648',
    text: 'A stored response has an id that the service chose and under which /v1/responses/{id} finds it.',
  },
  'response.storage': {
    since: 2,
    hash: 'cfdb3d927c23',
    text: 'Responses are kept in memory, the least recently used leave first, and a later request can continue from a kept one.',
  },
  'response.conversation': {
    since: 2,
    hash: '0a4b0733f542',
    text: 'A request may name a conversation; requests with one name continue each other.',
  },
  'response.usage': { since: 2, hash: '81cdda5fd5b6', text: 'A response reports the tokens that really went in and out.' },
  'subagent.result.model': {
    since: 4,
    hash: '65f0e09edfb4',
    text: 'The result of a delegated task names the model that the child ran on.',
  },
  'subagent.result.exit-reason': {
    since: 4,
    hash: '353f2234f3aa',
    text: 'The result says how the child ended: completed, interrupted or max_iterations.',
  },
  'subagent.result.tokens-input': { since: 4, hash: '3843c6cc593f', text: 'The result counts the tokens that went into the child.' },
  'subagent.result.tokens-output': { since: 4, hash: 'ccf7b67e3273', text: 'The result counts the tokens that the child produced.' },
  'subagent.result.api-calls': { since: 4, hash: '3975954a5937', text: "The result counts the child's model calls." },
  'subagent.result.tool-trace.entries': {
    since: 4,
    hash: '4ec9ef121638',
    text: 'The result lists every tool call of the child with the bytes of call and result and whether it worked.',
  },
  'subagent.result.tool-trace.pairing': {
    since: 4,
    hash: '4ec9ef121638',
    text: 'Parallel calls in that list find their results by call id, and messages without an id by a fallback.',
  },
  'session.title.slash': {
    since: 1,
    hash: '973c6b6c7ed9',
    text: '/title with a name gives the running session its title, in the terminal.',
  },
  'session.title.slash-gateway': { since: 2, hash: '973c6b6c7ed9', text: '/title does the same on a messaging platform.' },
  'session.title.rename': { since: 1, hash: '973c6b6c7ed9', text: "A session's title can be set with the sessions rename command." },
  'session.resume.continue': { since: 1, hash: '8e56987743df', text: '-c with a title continues the session of that title.' },
  'session.resume.resume': { since: 1, hash: '8e56987743df', text: '--resume with a title continues the session of that title.' },
  'session.title.lineage': {
    since: 1,
    hash: '5d746fb99d70',
    text: 'A title that continues another gets its number in the line by itself.',
  },
  'session.stored': { since: 1, hash: '5e38b78b1afa', text: 'Sessions survive the program in a database on this machine.' },
  'blueprint.slots': {
    since: 4,
    hash: '541a0eaf534f',
    text: 'A blueprint has a key and typed slots (time, enum, text, weekdays), every one with a default.',
  },
  'blueprint.templates': { since: 4, hash: 'c44ca23a0933', text: 'A blueprint carries templates for the schedule and for the prompt.' },
  'blueprint.cron-text.translated': {
    since: 4,
    hash: '8b7e156308fc',
    text: 'Slots for time and weekdays become a cron expression; nobody has to type one.',
  },
  'blueprint.cron-text.schedule-slot': { since: 4, hash: '8b7e156308fc', text: 'A text slot with the name schedule takes any schedule.' },
  'blueprint.renderers': {
    since: 4,
    hash: '7e55e43f5b57',
    text: 'One slot schema feeds the form, the slash-command line, the deep link and the catalog entry.',
  },
  'blueprint.fill': {
    since: 4,
    hash: 'd659ff63bd0c',
    text: 'Filling a blueprint checks the slots and makes the job the way every job is made.',
  },
  'job.fields': {
    since: 4,
    hash: '989eb7098e3a',
    text: 'A job holds schedule, delivery target, origin, prompt and at least one skill; several skills can be edited.',
  },
  'blueprint.catalog': { since: 4, hash: '245ac45ee21b', text: 'Five chosen blueprints come with the program.' },
  'platform-entry.catalog': {
    since: 5,
    hash: 'e6e83793e96c',
    text: "The dashboard's list of platforms comes from the gateway's own platforms and from plugins.",
  },
  'platform-entry.fields': {
    since: 5,
    hash: '83731fd425f7',
    text: 'Each platform of that list shows whether it is on and how to set it up.',
  },
  'platform-entry.secrets': { since: 5, hash: '471119a676d4', text: 'Secrets entered there end in the environment file.' },
  'platform-entry.enabled': { since: 5, hash: '5d2f9cfce041', text: 'The switch there is written to config.yaml.' },
  'platform-entry.disabled-wins': {
    since: 1,
    hash: '1b206f3662fb',
    text: 'A platform that config.yaml switches off stays off, even where its tokens are in the environment.',
  },
  'desktop.record.build-stamp': {
    since: 6,
    hash: 'd38f670120b3',
    text: 'install-stamp.json records commit, branch, time of the build and whether the tree was dirty.',
  },
  'desktop.record.marker': {
    since: 6,
    hash: 'b9a0e288c77a',
    text: ".agent-bootstrap-complete records its schema version, the pinned commit and branch, when set-up ended, and the desktop's version.",
  },
  'desktop.record.marker-place': {
    since: 6,
    hash: 'ba500c5d545f',
    text: 'That marker lies in the agent-agent checkout inside the home, and only once every stage has succeeded.',
  },
  'skill.frontmatter.identity': { since: 4, hash: 'd53aecbab3ff', text: "A skill's name and description are what the index shows." },
  'skill.frontmatter.platforms': { since: 4, hash: '8ab9a6accc0c', text: 'A skill can be limited to operating systems.' },
  'skill.frontmatter.environments.hidden': {
    since: 4,
    hash: '8b17232623ea',
    text: "A skill for another environment (kanban, container, s6) is left out of the prompt's index, of list_skills and of slash discovery.",
  },
  'skill.frontmatter.environments.explicit': {
    since: 4,
    hash: '8b17232623ea',
    text: 'Asking for such a skill by name, with skill_view or --skills, loads it all the same.',
  },
  'skill.frontmatter.related': { since: 4, hash: 'a35f791026b0', text: 'A skill can list the names of related ones.' },
  'skill.frontmatter.blueprint': { since: 4, hash: '81fc28f32dbc', text: 'A skill can carry a blueprint in its metadata.' },
})
