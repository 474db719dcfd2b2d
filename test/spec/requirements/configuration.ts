import { defineSection } from '../define-section.ts'

export const configuration = defineSection('Configuration keys', {
  'config.version': {
    since: 1,
    hash: '8b275002ab78',
    text: "config.yaml carries its format's number in _config_version; this program writes 26.",
  },
  'config.display.interface': { since: 1, hash: 'cec36975ec01', text: 'display.interface is cli or tui, and cli when unset.' },
  'config.display.show-reasoning': { since: 1, hash: '0c0d7b811f54', text: 'display.show_reasoning is a switch, off when unset.' },
  'config.display.interface.opened': {
    since: 6,
    hash: 'cec36975ec01',
    text: 'chat opens the client that display.interface names.',
  },
  'config.display.theme-mode': { since: 1, hash: '91c78b655541', text: 'display.theme_mode takes a light or a dark theme.' },
  'config.display.theme-mode.shown': { since: 5, hash: '91c78b655541', text: 'What has colours shows the theme that is set.' },
  'config.checkpoints.enabled': { since: 1, hash: 'abc0636721fe', text: 'checkpoints.enabled is a switch, off when unset.' },
  'config.checkpoints.enabled.snapshots': { since: 4, hash: 'abc0636721fe', text: 'While it is on, snapshots of files are made.' },
  'config.checkpoints.max-snapshots': {
    since: 1,
    hash: '00ed12962ff5',
    text: 'checkpoints.max_snapshots is a whole number above 0.',
  },
  'config.checkpoints.max-snapshots.bound': { since: 4, hash: '00ed12962ff5', text: 'No more snapshots than that stay.' },
  'config.terminal.forward-env.allowlist': {
    since: 6,
    hash: 'd7fc3f31e853',
    text: "Into a container's terminal go only the variables that terminal.container_forward_env lists.",
  },
  'config.terminal.forward-env.source': {
    since: 6,
    hash: 'd7fc3f31e853',
    text: "Their values come from the calling shell, and where it has none from the home's .env.",
  },
  'config.terminal.mount-cwd': {
    since: 1,
    hash: 'ea33fe47a0a1',
    text: 'terminal.container_mount_cwd_to_workspace must be switched on by hand.',
  },
  'config.terminal.mount-cwd.mounted': {
    since: 6,
    hash: 'ea33fe47a0a1',
    text: 'A container sees the folder that agent was called in with that switch on, and not without it.',
  },
  'config.terminal.persistent-shell.kept': {
    since: 1,
    hash: '7f34fa678c74',
    text: 'With terminal.persistent_shell one command sees what an earlier one changed in the shell.',
  },
  'config.terminal.persistent-shell.backends': {
    since: 6,
    hash: '7f34fa678c74',
    text: 'Each terminal backend has an environment variable that overrides it.',
  },
  'config.compression.summary-url': {
    since: 4,
    hash: '8cbd0c2417bd',
    text: 'compression.summary_base_url points the summary model at any endpoint of the chat-completions style.',
  },
  'config.compression.yaml-only': { since: 1, hash: '8cbd0c2417bd', text: 'Settings of compression are taken from YAML alone.' },
  'config.auxiliary.endpoint': { since: 4, hash: 'a03b874a754b', text: 'Provider, base URL and key can be set for each side task.' },
  'config.auxiliary.compression-default': { since: 1, hash: 'a03b874a754b', text: 'The provider for compression is auto when unset.' },
  'config.delegation.endpoint': {
    since: 4,
    hash: '685d7af41812',
    text: 'Child agents can be sent to an endpoint of their own by base URL and key.',
  },
  'config.web.backend.chosen': { since: 4, hash: 'cf9c0d93db1a', text: 'web.backend names the backend for search and extraction.' },
  'config.web.backend.fallback': { since: 4, hash: 'cf9c0d93db1a', text: 'Where it is unset, the backend whose key is there is taken.' },
  'config.stt.provider': {
    since: 6,
    hash: '98eeeb65b85f',
    text: 'stt.provider is local when unset, or a remote service, and each has its model setting.',
  },
  'config.fallback-model': { since: 4, hash: '22754b66918f', text: 'fallback_model names provider and model to fall back to.' },
  'config.background-notifications.values': {
    since: 1,
    hash: '274b756e8bf5',
    text: 'background_process_notifications takes all, result, error or off.',
  },
  'config.background-notifications.environment': { since: 1, hash: '274b756e8bf5', text: 'AGENT_BACKGROUND_NOTIFICATIONS sets it too.' },
  'config.memory.write-approval': {
    since: 4,
    hash: 'd8fd5523a021',
    text: 'With memory.write_approval what the agent writes to memory and skills waits until someone approves it.',
  },
  'config.skills.guard': {
    since: 4,
    hash: '124f8589cdcc',
    text: 'skills.guard_agent_created switches the scanner of skills that the agent wrote, whatever the write gate is set to.',
  },
  'config.updates': {
    since: 1,
    hash: '3aba5d57fb97',
    text: 'The three settings of updates (backup before, how many to keep, what to do with local changes) are accepted.',
  },
  'config.approvals.values': { since: 1, hash: 'c9fa13227bc7', text: 'The approval mode is ask, smart or off.' },
  'config.approvals.smart': { since: 1, hash: 'c9fa13227bc7', text: 'In smart mode a model judges what would otherwise be asked.' },
  'config.website-blocklist': { since: 4, hash: 'e81c3d70091d', text: 'Websites on a configured list are refused.' },
  'config.platforms.enabled': { since: 1, hash: 'b1b3bbffda78', text: 'Each platform has its own switch.' },
  'config.platforms.extra': {
    since: 1,
    hash: '2041bc02f50f',
    text: 'Each platform has a map for its own settings, such as client_id, client_secret or reply_prefix.',
  },
  'config.reply-prefix.values': {
    since: 2,
    hash: '34a7b65ef378',
    text: 'reply_prefix goes before every outgoing message: unset means the standard header, empty none, any text is taken and \\n in it breaks the line.',
  },
  'config.reply-prefix.echo': {
    since: 2,
    hash: '34a7b65ef378',
    text: 'In a chat with oneself the prefix is how the agent knows its own messages.',
  },
  'config.home-automation.watch': {
    since: 2,
    hash: '61dbd0c87859',
    text: 'The home-automation adapter takes watch_domains, watch_entities (lists) and watch_all (a switch).',
  },
  'config.session-reset.null': { since: 1, hash: '8be587889e23', text: 'A null in the reset policy, at_hour for one, means the default.' },
  'config.session-reset.zero': { since: 1, hash: '8be587889e23', text: 'A zero there is a value and not a missing one.' },
})
