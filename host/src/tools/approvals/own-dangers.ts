import { freeOwnWords } from '../programs/own-verbs.ts'
import type { DangerRow } from './danger-rows.ts'

const agent = '(agent|agent\\.mjs|\\S*\\/agent\\.mjs)'
const started = `((npx )?${agent}|node (\\S+ )*(agent\\.mjs|\\S*\\/agent\\.mjs))`

const ownProcess = `^(npx )?${agent} gateway (stop|restart|uninstall)|^node \\S*agent\\.mjs gateway (stop|restart)|^kill .*(gateway[.-]pid|\\$PPID)|^(pkill|killall) .*\\b(agent|node)\\b`
const detached = `(nohup|setsid) (.* )?(npx |node )?${agent} gateway|^(npx |node )?${agent} gateway run.* &$|^(npx |node )?${agent} gateway (start|install)|^systemd-run .*agent gateway`
const settings = `^(npx |node )?${agent} (-\\S+ (\\S+ )?)*([a-zA-Z0-9][\\w-]* )?(config (set|unset)|plugins (enable|disable|install|update|rollback|remove|link)|tools (enable|disable)|mcp (add|remove|enable|install|login|logout|serve)|skills (install|update|remove|opt-in|opt-out|approve|reject|approval \\S+)|bundles (create|delete)|memory (approve|approval \\S+)|checkpoints (restore|prune|clear)|profile (create|use|rename|delete|export|import)|pairing (approve|revoke|clear-pending)|auth (login|logout|add|remove|reset)|login|setup|update|model \\S+ \\S+)( |$)|^(npx |node )?${agent} [a-zA-Z0-9][\\w-]* (send|sessions (delete|prune|undo|import)|logout)( |$)`

/** What is done to the agent itself, or by its own command line. */
export const ownDangers: readonly DangerRow[] = [
  ['own-process', 'it stops the agent itself', new RegExp(ownProcess)],
  ['detached-gateway', 'it starts a gateway that nobody watches', new RegExp(detached)],
  ['own-settings', 'it changes the settings, plugins, skills, memory or profiles of the agent itself', new RegExp(settings)],
  // What none of the others names: a list of harmful commands would miss the next one.
  [
    'own-command',
    'it has the agent itself do something, which may be a job, a message or a whole conversation',
    new RegExp(`^(?!${ownProcess}|${detached}|${settings}|${started} ${freeOwnWords})${started}( |$)`),
  ],
]
