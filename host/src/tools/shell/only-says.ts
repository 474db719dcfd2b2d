import { isAmong, type Names } from './names.ts'

/**
 * Programs of many subcommands that show their help by an option behind the subcommand, whatever else stands there. Not among them are
 * those that hand it on: `service nginx stop --help` stops.
 */
const helpers: ReadonlySet<string> = new Set(
  'gh glab docker podman nerdctl docker-compose buildah skopeo kubectl oc helm helmfile kustomize terraform tofu terragrunt pulumi cdk npm pnpm yarn pip pip3 poetry pdm hatch uv pipenv cargo rustup go gem composer gcloud az doctl hcloud eksctl fly flyctl heroku vercel netlify firebase wrangler supabase railway stripe ngrok cloudflared tailscale systemctl journalctl loginctl timedatectl hostnamectl apt apt-get dnf yum zypper snap flatpak brew pm2 vault consul nomad etcdctl argocd flux istioctl skaffold minikube kind k3d colima limactl virsh lxc incus rclone restic borg s3cmd s5cmd mc conda mamba micromamba dvc mlflow ansible-galaxy vagrant packer serverless sls sam jj svn hg openssl prefect kind rabbitmqctl btrfs ollama hf huggingface-cli wandb gsutil bq vsce ovsx hub agent celery dbt prisma nx lerna turbo sentry-cli'.split(
    ' ',
  ),
)

/** Subcommands whose next words are another program and its arguments. */
const handsOn =
  'run run-script rum urn exec x dlx shell develop foreach tool eval ssh attach debug start test script call invoke plugin kubectl alias'

/** Options that only change how much is said, or how; none of them takes the next word. */
const plainFlag =
  /^(-[afqruvAR]|-(all|auto|v+)|--(all|force|force-with-lease|tags|follow-tags|delete|quiet|verbose|recursive|prune|porcelain|no-verify|access=public|provenance|allow-dirty|no-git-checks|yes|workspaces|install|atomic|update|prune-empty-dirs|progress|stats|human-readable|delete-(after|before|during|excluded)|archive|compress|checksum|partial|debug))$/

/** What a program would do is only shown, by subcommand and option. */
const rehearsals: readonly (readonly [program: Names, verb: Names | undefined, option: Names])[] = [
  ['git', 'push clean add rm mv fetch commit worktree gc prune remote', '--dry-run'],
  ['git', 'push clean rm mv add prune', /^-[dfxrv]*n[dfxrv]*$/],
  ['npm pnpm yarn bun', 'publish pack unpublish version uninstall update install audit prune', '--dry-run'],
  ['cargo poetry uv hatch flit vsce', 'publish remove update add sync lock package yank', '--dry-run'],
  ['cargo', 'publish clean update', '-n'],
  ['apt apt-get', 'install remove purge autoremove upgrade dist-upgrade full-upgrade', '-s --simulate --dry-run --just-print'],
  ['dnf yum', 'install remove erase autoremove upgrade update', '--assumeno'],
  ['brew', 'cleanup autoremove uninstall upgrade install', '-n --dry-run'],
  ['kubectl oc', 'apply create delete run patch scale expose label annotate set replace drain cordon', /^--dry-run=(client|server)$/],
  ['helm', 'install upgrade uninstall rollback', /^--dry-run(=(client|server))?$/],
  ['rclone', 'copy sync move delete purge copyto moveto bisync', '-n --dry-run'],
  ['aws', 's3', '--dryrun'],
  ['wrangler semantic-release standard-version release-it np', /^(deploy|publish|)$/, '--dry-run'],
  [/^ansible(-playbook)?$/, undefined, /^--(syntax-check|list-tasks|list-hosts|list-tags)$/],
  ['rsync', undefined, /^(--dry-run|-[avzhrulptgoDHAXxPciqW]*n[avzhrulptgoDHAXxPciqW]*)$/],
]

/**
 * Whether a program is only asked what it is, how it is used, or what it would do. The help of another program that it starts, and an
 * option that is the argument of another one, do not count.
 */
export function onlySays(words: readonly string[]): boolean {
  const [name = '', ...rest] = /^python[\d.]*$/.test(words[0] ?? '') && words[1] === '-m' ? words.slice(2) : words
  if (rest.length === 1 && /^--(help|version)$/.test(rest[0] ?? '')) return true
  return asksForHelp(name, rest) || rehearses(name, rest)
}

function asksForHelp(name: string, rest: readonly string[]): boolean {
  const last = rest.at(-1) ?? ''
  const verbs = rest.slice(0, -1)
  if (name === 'git') return rest.length === 2 && (rest[0] === 'help' || /^(--help|-h)$/.test(last)) && rest.every(isPlainOrHelp)
  if (name === 'aws') return last === 'help' && verbs.length < 3 && verbs.every(isPlain)
  if (!helpers.has(name) || verbs.length === 0) return false
  if (rest[0] === 'help') return rest.every(isPlain)
  return /^(--help|-h)$/.test(last) && verbs.every((word) => isPlain(word) && !isAmong(handsOn, word))
}

const isPlain = (word: string): boolean => /^\w[\w:./@-]*$/.test(word)
const isPlainOrHelp = (word: string): boolean => isPlain(word) || /^(--help|-h)$/.test(word)

function rehearses(name: string, rest: readonly string[]): boolean {
  const end = rest.indexOf('--')
  const options = end === -1 ? rest : rest.slice(0, end)
  if (options.some((word) => /^--(no-dry-?run|dry-?run=(false|none|0|no)|no-dryrun)$/.test(word))) return false
  return rehearsals.some(([program, verb, option]) => {
    if (!isAmong(program, name) || !(verb === undefined || isAmong(verb, verbOf(rest)))) return false
    return options.some((word, index) => isAmong(option, word) && isAlone(options[index - 1], option))
  })
}

/** Empty where an option comes first: `np --dry-run`. */
const verbOf = ([first = '']: readonly string[]): string => (first.startsWith('-') ? '' : first)

/** An option that is not known may take the next word as its value. */
const isAlone = (before: string | undefined, option: Names): boolean =>
  before === undefined || !before.startsWith('-') || before.includes('=') || plainFlag.test(before) || isAmong(option, before)
