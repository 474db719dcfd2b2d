import type { Names } from '../shell/names.ts'
import { freeOwnWords } from './own-verbs.ts'

/** What a program of many subcommands may do unasked. */
export interface ProgramVerbs {
  /** Subcommands that are no question; `remote.show` is the one below the other. Absent: all but those of `asks`. */
  readonly free?: string
  /** Subcommands that are a question. */
  readonly asks?: string
  /** Where it reads from is behind many names: a word that only reads. */
  readonly reads?: Names
  /** It has options instead of subcommands; any other option is a question. */
  readonly options?: Names
  /** Options before the subcommand that take the next word. */
  readonly valued?: Names
}

const js = {
  asks: 'login logout owner team tag npm.login npm.logout npm.publish npm.tag plugin setup self-update server policies adduser token access star hook',
}
const containers: ProgramVerbs = {
  valued: '-H --host -c --context --config -l --log-level -f --file -p --project-name --profile --env-file --project-directory --url',
  free: 'ps stop restart compose.stop compose.restart compose.down container.stop container.restart images image.ls image.list image.inspect image.history image.pull image.build image.tag container.ls container.list container.inspect container.logs container.top container.stats container.run container.exec container.start container.create build buildx.build buildx.ls buildx.inspect buildx.bake buildx.version buildx.du plugin.ls plugin.list plugin.inspect pull run exec logs inspect stats top port version info diff history events cp start create wait network.ls network.inspect network.create volume.ls volume.inspect volume.create compose.up compose.ps compose.logs compose.build compose.pull compose.run compose.exec compose.config compose.images compose.top compose.ls compose.version compose.start compose.create compose.watch compose.port compose.cp compose.convert compose.events compose.wait compose.attach context.ls context.show context.inspect system.df system.info search tag load import export save attach help machine.list machine.start machine.info scout init manifest.inspect up config unshare',
}
const dnf: ProgramVerbs = {
  free: 'install in add list info search se if update up upgrade check-update provides repolist lr refresh ref makecache repoquery deplist history.list history.info groups grouplist download help lu',
}
const conda: ProgramVerbs = {
  free: 'create install list env.list env.create env.export env.update activate deactivate info search update upgrade run clean init shell compare doctor',
  valued: '-n -p --name --prefix',
}
/** Tools of Python that people run straight from the registry. */
const tools =
  'ruff black mypy pytest pre-commit isort flake8 pyright ipython jupyter cookiecutter copier tox nox bandit codespell yamllint ty httpie poetry hatch build twine mkdocs sqlfluff basedpyright pylint datasette marimo'.split(
    ' ',
  )
const gpg: ProgramVerbs = {
  options:
    /^(--(list-\S+|verify|import|version|fingerprint|show-keys|recv-keys|keyserver\S*|armor|detach-sign|sign|clearsign|dearmor|output|export|batch|yes|keyid-format|with-\S+|no-default-keyring|keyring|full-generate-key|gen-key|default-key|local-user)|-[kKabsou]+)(=.*)?$/,
}
const versions: ProgramVerbs = {
  free: 'ls list ls-remote list-all list-remote current install i use global local shell set version versions which where reshim latest init status exec x env bin-paths outdated upgrade up plugins.ls plugin.list plugin.ls doctor alias default run hook hook-env tasks watch home java pin prefix root rehash commands',
}
const terraform: ProgramVerbs = {
  free: 'init plan validate fmt show output state.list state.show state.pull workspace.list workspace.show workspace.select workspace.new graph providers version console get test apply refresh help modules metadata',
}
const kubernetes: ProgramVerbs = {
  valued: '-n --namespace --context --kubeconfig --cluster --user -s --server',
  free: 'get describe logs top explain version api-resources api-versions config.view config.current-context config.get-contexts config.get-clusters config.use-context config.set-context cluster-info diff rollout.status rollout.history auth.can-i auth.whoami port-forward wait kustomize completion help options events exec plugin.list apply create scale patch edit set label annotate replace run expose status project projects whoami krew.list krew.search',
}
const installers: ProgramVerbs = {
  free: 'update install upgrade list show search policy download source depends rdepends showsrc clean autoclean changelog build-dep check moo',
  valued: '-o -c -t',
}

export const programVerbs: Readonly<Record<string, ProgramVerbs>> = {
  git: {
    valued: '-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env',
    free: 'add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean clone commit commit-graph commit-tree config count-objects describe diff diff-files diff-index diff-tree difftool fetch for-each-ref format-patch fsck gc grep hash-object help init interpret-trailers lfs log ls-files ls-remote ls-tree maintenance merge merge-base merge-file merge-tree mergetool mktree mv name-rev notes patch-id pull push range-diff read-tree rebase reflog remote repack rerere request-pull reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stash status submodule switch symbolic-ref tag update-index update-ref var verify-commit verify-tag version whatchanged worktree write-tree absorb st co ci br lg df flow standup undo sync',
  },
  gh: {
    free: 'auth.status repo.view repo.list repo.clone repo.sync pr issue run.rerun run.list run.view run.watch run.download workflow.list workflow.view release.list release.view release.download gist.list gist.view gist.clone api secret.list variable.list variable.get label.list search browse status extension.list extension.search cache.list ruleset.list org.list project.list project.view alias.list config.get config.list help version completion copilot',
  },
  glab: {
    free: 'auth.status repo.view repo.list repo.clone mr issue ci.list ci.view ci.status ci.lint ci.trace release.list release.view version help label.list',
  },
  hub: { free: 'pr issue ci-status browse clone status compare sync fetch version' },
  svn: {
    free: 'status st diff log info update up checkout co add commit ci list ls cat blame revert cleanup help resolve merge propget proplist',
  },
  hg: {
    free: 'status st diff log summary pull update up clone add commit ci branch branches heads incoming outgoing annotate blame merge cat help revert shelve id identify files',
  },
  jj: {
    free: 'log status st diff show new describe desc commit edit squash rebase bookmark branch git.fetch git.clone git.init git.push help op.log abandon split file',
  },
  npm: {
    valued: '-w --workspace --prefix -C --loglevel',
    free: 'install i ci add in isntall install-test it install-ci-test cit clean-install test t tst run run-script rum urn start stop restart build ls list ll la outdated view info show v search find audit pack init create innit version update up upgrade udpate uninstall un unlink rm remove r link ln exec x prune dedupe ddp find-dupes rebuild rb config.get config.list config.ls config.set config.delete config.fix get set pkg root prefix bin bugs docs home repo help help-search why explain fund ping whoami doctor cache.ls cache.verify cache.clean cache.add query diff sbom shrinkwrap completion profile.get dist-tag.ls team.ls owner.ls access.list explore',
  },
  pnpm: js,
  yarn: js,
  bun: { asks: 'publish' },
  deno: {
    free: 'run task test fmt lint check cache info doc bench compile bundle types repl eval install add remove init upgrade coverage serve outdated vendor jupyter help completions clean approve-scripts x',
  },
  pip: {
    free: 'install download list show freeze check search index config.get config.list config.debug config.set wheel hash cache help inspect debug uninstall',
  },
  pipx: {
    free: `install list upgrade upgrade-all ensurepath environment inject reinstall reinstall-all completions ${tools.map((tool) => `run.${tool}`).join(' ')}`,
  },
  uv: {
    free: 'run sync add remove lock pip venv tool.install tool.list tool.upgrade tool.dir python init tree build cache export version help self',
  },
  uvx: { free: tools.join(' ') },
  twine: { free: 'check help' },
  flit: { free: 'build info init install' },
  pixi: { free: 'run add remove install init list shell task info search update tree' },
  goreleaser: { free: 'build check healthcheck init jsonschema' },
  buf: { free: 'build lint format generate breaking convert dep.update dep.graph ls-files help' },
  poetry: {
    free: 'install add remove update lock show run shell build check version env init new config search export about help self cache',
  },
  pdm: { free: 'install add remove update sync lock run build init list info show use venv fix import outdated' },
  hatch: { free: 'run build new env test fmt version shell dep clean status project' },
  rye: { free: 'sync add remove lock run build init show list fmt lint fetch pin test version' },
  pipenv: { free: 'install uninstall update sync lock run shell graph check requirements verify clean' },
  conda,
  mamba: conda,
  micromamba: conda,
  cargo: {
    valued: '--color --config -Z -C',
    free: 'build b check c test t run r bench clippy fmt doc d add remove rm update tree metadata new init install search fix clean package vendor generate-lockfile fetch expand watch nextest audit outdated deny edit upgrade machete udeps tarpaulin llvm-cov sqlx leptos tauri lambda wasm miri flamegraph bloat criterion make binstall locate-project pkgid verify-project version help config report hack insta zigbuild component asm show-asm geiger msrv semver-checks sort uninstall rustc rustdoc read-manifest info careful fuzz mutants spellcheck license about cache sweep generate shuttle-run dylint',
  },
  rustup: {
    free: 'show update target toolchain component override doc which run default check completions help man self.update set.profile',
  },
  go: { free: 'build run test get install mod fmt vet generate list env doc clean version tool work fix bug help' },
  gem: {
    free: 'install i update list search info environment env which build contents fetch specification outdated help dependency pristine uninstall cleanup query',
  },
  composer: { asks: 'global' },
  docker: containers,
  podman: containers,
  nerdctl: containers,
  'docker-compose': {
    ...containers,
    free: 'up down stop restart ps logs build pull run exec config images top ls version start create watch port cp help events',
  },
  'podman-compose': { ...containers, free: 'up down stop restart ps logs build pull run exec config images top version start' },
  buildah: { free: 'images containers bud build info version inspect' },
  skopeo: { free: 'inspect list-tags' },
  crane: { free: 'ls manifest digest config catalog' },
  kubectl: kubernetes,
  oc: kubernetes,
  helm: {
    valued: '-n --namespace --kube-context --kubeconfig',
    free: 'list ls template diff lint repo search show inspect get history status dependency dep pull fetch env version upgrade install rollback test create package plugin.list verify completion help',
  },
  terraform,
  tofu: terraform,
  terragrunt: { free: 'plan validate validate-inputs hclfmt hcl output show init graph-dependencies run-all.plan render-json version' },
  pulumi: {
    free: 'preview stack.ls stack.output stack.select stack.init config.get whoami version about logs new plugin.ls gen-completion help up refresh',
  },
  cdk: { free: 'synth synthesize diff ls list doctor init docs context metadata notices version deploy' },
  serverless: { free: 'offline package print info logs invoke.local version plugin.list help' },
  sls: { free: 'offline package print info logs invoke.local version plugin.list help' },
  sam: { free: 'build validate local logs init list version' },
  packer: { free: 'validate fmt init inspect version console' },
  aws: {
    valued: '--profile --region --output --endpoint-url --query --color',
    reads:
      /^(?!.*(login|credential|secret-value|session-token|authorization|password|get-parameter))(s3 (ls|cp|mv|sync)|configure (list|list-profiles|get)|logs (tail|filter-log-events|start-query)|[\w-]+ (describe|list|get|ls|head|filter|lookup|search|scan|query|batch-get|wait|help|validate|preview|simulate|estimate|detect|select)(-\S*)?|help|--version)( |$)/,
  },
  gcloud: {
    valued: '--project --account --format --configuration --verbosity --region --zone',
    reads:
      /(^| )(list|describe|get|get-value|read|tail|logs|info|version|search|search-all-\S+|get-iam-policy|help|configurations|topic|list-\S+|describe-\S+)( |$)|^config set |^storage (ls|cat|cp|du|rsync)|^components update$|^auth application-default login$|^init$/,
  },
  az: {
    valued: '-g --resource-group -o --output --query --subscription',
    reads:
      /^(?!.*(keyvault (secret|key)|credential|access-token|connection-string|keys list|list-keys))(.* )?(list|show|list-\S+|show-\S+|exists|version|find|tail|help|what-if|validate)( |$)|^(account set|bicep (build|lint)|upgrade)/,
  },
  gsutil: { free: 'ls du stat cat version cp rsync hash help' },
  bq: { free: 'ls show head query version help' },
  s3cmd: { free: 'ls la du info get' },
  s5cmd: { free: 'ls du head cat cp sync version' },
  mc: { free: 'ls du stat cat find diff tree version head' },
  rclone: { free: 'ls lsd lsl lsf lsjson size version listremotes about check cat tree md5sum sha1sum copy sync copyto ncdu' },
  restic: { valued: '-r', free: 'snapshots ls list stats check diff find version cat' },
  borg: { free: 'list info check diff' },
  doctl: { reads: /(^| )(list|get|ls|version|account|balance|sizes|regions|help)( |$)/ },
  hcloud: { reads: /(^| )(list|describe|version|help)( |$)/ },
  'linode-cli': { reads: /(^| )(list|view|\S+-list|\S+-view|ls)( |$)/ },
  vultr: { reads: /(^| )(list|get)( |$)/ },
  eksctl: { free: 'get version info' },
  fly: { reads: /(^| )(status|logs|list|ls|info|releases|checks|version|dashboard|doctor|show|regions|help|validate|docs)( |$)/ },
  flyctl: { reads: /(^| )(status|logs|list|ls|info|releases|checks|version|dashboard|doctor|show|regions|help|validate|docs)( |$)/ },
  heroku: {
    free: 'logs apps config ps releases status addons domains features buildpacks help version local pg:info pg:ps auth:whoami git:remote apps:info apps:list regions releases:info',
    valued: '-a --app -r --remote',
  },
  vercel: { free: 'ls list dev env.ls inspect logs whoami link build domains.ls teams.ls dns.ls help project.ls' },
  netlify: {
    free: 'dev dev:exec status build init link logs env:list sites:list functions:list functions:create functions:serve help open watch',
  },
  firebase: {
    free: 'emulators:start emulators:exec serve projects:list use login:list functions:log functions:shell target apps:list help init',
  },
  wrangler: {
    free: 'dev whoami tail types init generate versions.list deployments.list d1.list pages.dev kv.namespace.list r2.bucket.list docs check help',
  },
  supabase: {
    free: 'start stop status db.diff db.pull db.lint db.start gen migration.new migration.list migration.up functions.serve functions.new init projects.list services help test',
  },
  railway: { free: 'status logs list whoami run docs help version' },
  stripe: { free: 'listen logs trigger version help get status' },
  ngrok: { free: 'version help config.check diagnose' },
  cloudflared: { free: 'version help update' },
  tailscale: { free: 'status ip version ping netcheck whois' },
  twilio: { reads: /:(list|fetch)( |$)|^(profiles:list|help|plugins)/ },
  systemctl: {
    free: 'status list-units list-unit-files list-timers list-sockets show cat is-active is-enabled is-failed is-system-running get-default list-dependencies list-jobs show-environment help',
    valued: '-n -u -t --type -H',
  },
  service: { reads: /^\S+ status$|^$/ },
  launchctl: { free: 'list print blame help' },
  apt: installers,
  'apt-get': installers,
  aptitude: installers,
  dnf,
  yum: dnf,
  zypper: dnf,
  apk: dnf,
  snap: { free: 'list find info install refresh version changes services' },
  flatpak: { free: 'list search info install update run remotes history' },
  brew: {
    free: 'install list ls search info update upgrade outdated doctor deps uses leaves cleanup services.list tap home desc log cat commands bundle fetch config formulae casks reinstall pin unpin link unlink shellenv help --prefix',
  },
  port: { free: 'install list search info installed selfupdate upgrade' },
  choco: { free: 'install list search info upgrade outdated' },
  winget: { free: 'install list search show upgrade' },
  scoop: { free: 'install list search info update status' },
  'nix-shell': {},
  'nix-build': {},
  'nix-instantiate': {},
  nix: {
    free: 'build develop shell flake.check flake.show flake.update flake.lock flake.metadata flake.init run search show-derivation eval fmt log path-info why-depends repl print-dev-env hash',
  },
  pm2: { free: 'list ls status logs show describe monit info start restart reload jlist prettylist ping env' },
  supervisorctl: { free: 'status tail pid avail version' },
  tmux: {
    free: 'new new-session ls list-sessions list-windows list-panes attach a at attach-session send-keys send kill-session kill-window kill-pane capture-pane capturep split-window splitw rename-session rename-window show-options show new-window neww select-window selectw select-pane switch-client detach set set-option has-session has display-message resize-pane info',
    valued: '-L -S -f',
  },
  nvm: { ...versions, free: `${versions.free ?? ''} unload cache` },
  fnm: versions,
  volta: versions,
  n: {},
  asdf: versions,
  mise: versions,
  rtx: versions,
  pyenv: { ...versions, free: `${versions.free ?? ''} virtualenv virtualenvs activate deactivate` },
  rbenv: versions,
  nodenv: versions,
  goenv: versions,
  jenv: versions,
  tfenv: versions,
  sdk: versions,
  corepack: { free: 'enable disable prepare use up install' },
  direnv: { free: 'status exec reload hook version export' },
  'pre-commit': { free: 'run autoupdate sample-config validate-config validate-manifest gc clean help migrate-config' },
  lefthook: { free: 'run version dump validate' },
  jupyter: { free: 'notebook lab nbconvert kernelspec.list console --version execute' },
  openssl: {
    free: 'version rand x509 dgst s_client verify genrsa genpkey req pkey pkeyutl rsa ec ecparam dhparam prime speed ciphers base64 help passwd crl asn1parse list errstr pkcs12 sha256 md5 sha1 ocsp',
  },
  gpg,
  gpg2: gpg,
  dpkg: { options: /^(-[lLSsIc]|--(list|listfiles|search|status|print-\S+|get-selections|info|contents|version))$/ },
  rpm: { options: /^(-[qV]\w*|--(query|version|verify|last|whatprovides|qf|queryformat)\S*)$/ },
  pacman: { options: /^(-[SQFTVh]\w*|--(noconfirm|needed|version|help))$/ },
  'nix-env': { options: /^(-q\w*|-iA|-i|--(query|install|version|list-generations))$/ },
  pmset: { options: '-g' },
  iconutil: {},
  'ssh-agent': {},
  ollama: { free: 'list ls ps show pull run version help' },
  forge: { free: 'build test fmt init install coverage snapshot clean inspect remappings doc' },
  hardhat: { free: 'compile test node clean coverage check' },
  hf: { free: 'download auth.whoami cache.ls env version' },
  'huggingface-cli': { free: 'download whoami scan-cache env version' },
  airflow: { free: 'version info dags.list dags.test tasks.list tasks.test standalone webserver scheduler' },
  prefect: { free: 'version config.view server.start flow.ls profile.ls' },
  wandb: { free: 'status offline disabled' },
  nmcli: { reads: /^((d|dev|device|c|con|connection|g|general|r|radio)( (status|show|wifi list|wifi))?)?$/ },
  route: { reads: '' },
  mount: { valued: '-t', reads: '' },
  sysctl: { options: /^-[anN]+$/ },
  caddy: { free: 'run validate fmt adapt version list-modules environ file-server respond hash-password help build-info' },
  apachectl: { reads: /^(-[tSvVMlL]|configtest|status|fullstatus)?$/ },
  apache2ctl: { reads: /^(configtest|status|fullstatus)?$/ },
  haproxy: { options: /^-(c|f|v+|V)$/ },
  promtool: { free: 'check test query help' },
  amtool: { free: 'check-config alert.query config.show help' },
  resolvectl: { free: 'status query statistics dns domain service help' },
  networkctl: { free: 'status list lldp help' },
  busctl: { free: 'list tree status introspect help' },
  coredumpctl: { free: 'list info help' },
  machinectl: { free: 'list status show list-images help' },
  'apt-mark': { free: 'showhold showmanual showauto' },
  'apt-file': { free: 'search list update find show' },
  'apt-config': { free: 'dump shell' },
  postconf: { options: /^-[dnmM]$/ },
  semanage: { free: 'list' },
  aplay: { options: /^-[lLqDfrc]$/ },
  smartctl: { options: /^-([aiHAlxj]|-(all|info|health|scan|xall|json))$/ },
  crictl: { free: 'ps images pods logs inspect inspectp stats info version' },
  ctr: { free: 'images.ls containers.ls tasks.ls version' },
  argo: { free: 'list get logs lint version' },
  tkn: { free: 'list describe logs version' },
  velero: { free: 'get describe logs version' },
  linkerd: { free: 'check version viz' },
  cilium: { free: 'status version' },
  sentry: { free: 'help info' },
  influx: { free: 'ping version query' },
  kubeadm: { free: 'version config.view certs.check-expiration' },
  talosctl: { free: 'version health get logs' },
  mutagen: { free: 'version' },
  fossil: { free: 'status diff timeline info ls finfo annotate blame branch.list' },
  fastlane: { free: 'lanes list action actions env test' },
  nginx: { options: /^-[tTvV]+$/ },
  udevadm: { free: 'info monitor' },
  bluetoothctl: { free: 'devices list show info' },
  'ssh-add': {},
  keytool: { options: /^-(list|v|keystore|storepass|storetype|alias|rfc|printcert|file|help)$/ },
  fuser: { options: /^-[vmnu46]+$/ },
  kaggle: { reads: /(^| )(list|files|view|status|download|topics|help)( |$)/ },
  opam: { free: 'list show search info env install exec var switch.list switch.show update upgrade init config pin.list lint help' },
  vagrant: { free: 'status global-status up ssh-config box.list version validate port plugin.list provision' },
  minikube: { free: 'start status version profile ip dashboard service addons.list image kubectl logs node.list docker-env update-check' },
  kind: { free: 'create get version load export build' },
  k3d: { free: 'cluster.list cluster.create node.list version image registry.list kubeconfig' },
  colima: { free: 'start status list version' },
  limactl: { free: 'list info start validate' },
  virsh: { free: 'list dominfo version nodeinfo domstate net-list pool-list dumpxml' },
  lxc: { free: 'list info version image.list config.show network.list storage.list profile.list' },
  incus: { free: 'list info version image.list config.show network.list' },
  zfs: { free: 'list get' },
  zpool: { free: 'list status get iostat history' },
  lvs: {},
  pvs: {},
  vgs: {},
  btrfs: { free: 'subvolume.list filesystem.df filesystem.usage filesystem.show' },
  vault: { free: 'status version' },
  consul: { free: 'members info catalog version validate' },
  nomad: { free: 'status version validate plan' },
  etcdctl: { free: 'get member.list endpoint version' },
  rabbitmqctl: { reads: /^(-\S+ )*(status|list_\S+|cluster_status|version|help)/ },
  'kafka-topics': { reads: '' },
  argocd: { free: 'version' },
  flux: { free: 'check get version logs' },
  istioctl: { free: 'analyze version proxy-status validate' },
  skaffold: { free: 'build render diagnose version' },
  circleci: { free: 'config.validate config.process version' },
  'ansible-galaxy': {
    free: 'list search info install collection.list collection.install role.list role.install init role.init collection.init',
  },
  'ansible-config': { free: 'list view dump' },
  adb: { free: 'devices logcat version start-server install reverse forward get-state' },
  sdkmanager: {},
  emulator: {},
  gsettings: { free: 'get list-schemas list-keys list-recursively range' },
  dconf: { free: 'read list dump' },
  defaults: { free: 'read domains read-type find' },
  diskutil: { free: 'list info' },
  security: { free: 'list-keychains help' },
  networksetup: { options: /^-(get|list)\w*$/ },
  agent: { reads: new RegExp(`^${freeOwnWords}`), valued: '-p --profile' },
}
