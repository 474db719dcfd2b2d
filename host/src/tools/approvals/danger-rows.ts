import { databases } from '../shell/databases.ts'

export type Harm = 'inside' | 'machine' | 'beyond'

export type DangerRow = readonly [name: string, sentence: string, pattern: RegExp, harm?: Harm]

export const sql = (statement: string): RegExp =>
  new RegExp(`(^|\\| |[ =])${databases} .*${statement}|${statement}.*\\| (\\S+ )*${databases}( |$)`, 'i')

/** What reaches other machines, costs money, changes what runs later, or deletes with separate tools. */
export const farDangers: readonly DangerRow[] = [
  [
    'git-discard',
    'it throws away work that is not kept',
    /^(svn (.* )?(revert|cleanup --remove)|hg (.* )?(strip|purge|revert (.* )?(-a|--all)|update (.* )?(-C|--clean)|rollback)|jj (.* )?(abandon|op restore)|bzr revert|fossil revert)( |$)/,
    'inside',
  ],
  [
    'services',
    'it changes how the machine is set up',
    /^(hostnamectl|timedatectl|localectl) set-|^(loginctl (terminate|kill)\S*|losetup (-d|-D)|nix-collect-garbage|rabbitmqctl (reset|force_reset|delete_\S+|stop\S*))( |$)/,
  ],
  [
    'package-source',
    'it runs a program straight from the network',
    /^(npx|bunx|pnpm dlx|yarn dlx) (-\S+ )*(https?:|github:|git\+)|^go (run|install) (-\S+ )*(?!github\.com\/|golang\.org\/|google\.golang\.org\/|gopkg\.in\/|honnef\.co\/|mvdan\.cc\/)[\w-]+\.[\w.-]+\/\S*@/,
    'beyond',
  ],
  ['xargs-delete', 'it deletes whatever it is handed', /^(rm|unlink|shred|truncate) (.* )?[^ ]*\$(\{?[\w@*]|\((?!mktemp))/, 'inside'],
  [
    'overwrite',
    'it empties or overwrites whatever a search finds',
    /^:? ?>+\|?\S*[$*]|^(truncate|tee) (.* )?[^ ]*\*|^(cp|install|ln) (\S+ )*\/dev\/null |^cat \/dev\/null >(?!.*\.log$)|^sponge .*<|^(vim?|nvim|ex|ed) .*%d|^echo >+\S*\$|^g?sed (.* )?-n -i( |$)|^(sed|gsed) (.* )?-\w*i\S* (.* )?(,?d|1,\$d|-n -i|-i -n)( |$)|^(perl|ruby) -\w*i\w* (-\w*n\w*|.*-n\w*)/,
    'inside',
  ],
  [
    'git-discard',
    'it throws away work that git does not keep',
    /^git (-\S+ ([^- ]\S* )?)*(tag (.* )?(-d|--delete)|read-tree (.* )?(--empty|--reset)|checkout-index (.* )?-\w*f|submodule deinit|lfs prune|sparse-checkout set|stash drop|notes remove)( |$)/,
    'inside',
  ],
  [
    'format',
    'it deletes a file system or makes it unreadable',
    /^(blkdiscard|(lv|vg|pv)(remove|reduce)|(zfs|zpool) (destroy|rollback)|btrfs subvolume delete|cryptsetup (.* )?(luks(Erase|Format|KillSlot)|erase)|hdparm (.* )?--security-erase|nvme (format|sanitize)|mdadm (.* )?--(zero-superblock|stop))( |$)/,
  ],
  [
    'containers',
    'it deletes a cluster or the machines of a test',
    /^(minikube|multipass|lima|limactl|colima) (.* )?delete( |$)|^(kind|k3d) (.* )?delete |^(lxc|incus|virsh) (.* )?(delete|undefine|destroy)( |$)/,
  ],
  [
    'send-files',
    'it sends files or what a program prints to another machine',
    /^curl (?!.*(localhost|127\.0\.0\.1|\[::1\]))(.* )?(-\w*T|--upload-file|(-\w*F|--form) ?\S*=[@‹]|(-d|--data(-\w+)?|--json)[ =]?([\w.-]+)?@)/,
    'beyond',
  ],
  [
    'send-files',
    'it sends files or what a program prints to another machine',
    /^wget (.* )?--(post-file|body-file)|^(https?|xh|xhs) (?!.*( :\d|localhost|127\.0\.0\.1))(.* <|.* \S*@\S|.*‹|--(raw|multipart))|^(lftp|ncftpput|tnftp|ncftp|ftp) (.* )?(put|mirror|-e|-c|-f|<|-u|\S+ \/ )|^(ftp|tftp) .*(put|<)|\| (lftp|ftp|tftp|sftp) |^(ncftpput|pastebinit|transfer(\.sh)?|croc send|wormhole (send|tx)|magic-wormhole send|ffsend upload|(sendmail|msmtp|swaks|mutt|mailx?)(?! (-v|-V|-h|--version|--help))|b2 upload-file|azcopy (copy|sync)|rclone (copy|copyto|move|serve|mount)|restic (.* )?backup|duplicity|borg (.* )?create|s3cmd (put|sync)|mc (cp|mirror))( |$)|^sftp .*<|\| (\S+ )*(mail|mailx|mutt|sendmail|pastebinit)( |$)/,
    'beyond',
  ],
  [
    'send-files',
    'it sends files or what a program prints to another machine',
    /^(aws s3|aws s3api|gsutil|gcloud storage|az storage|rclone|s5cmd) (.* )?((cp|mv|rsync|sync|copy) (?!(s3|gs):)(.* )?(s3|gs):|put-object|upload\S*|blob upload)|^rsync (.* )?(?!-)\S+ (rsync:\/\/\S+|\S+::\S*)$/,
    'beyond',
  ],
  [
    'send-files',
    'it sends files or what a program prints to another machine',
    /^(nc|ncat|netcat|openssl s_client|telnet) (?!.*(localhost|127\.0\.0\.1))(.* )?<(?!.*\/dev\/null)|\| (nc|ncat|netcat|socat|openssl s_client) (?!.*(localhost|127\.0\.0\.1))|^socat (.* )?(FILE|OPEN|-).*(TCP|UDP|OPENSSL|SSL)|^(dig|nslookup|host|ping) .*(\$\(|‹\(|`)|^ping (.* )?-p /i,
    'beyond',
  ],
  [
    'open-door',
    'it opens a way into this machine from the network',
    /^((npx|bunx|pnpm dlx)( -\S+)* )?(ngrok (http|tcp|tls|start)|cloudflared (.* )?(tunnel|access)|localtunnel|lt --port|tailscale (funnel|serve)|bore local|zrok share|expose share|code tunnel|tmate|upterm|gh codespace ports)( |$)/,
    'beyond',
  ],
  [
    'git-force',
    'it sends what git keeps to an address that is not the usual one',
    /^git (-\S+ ([^- ]\S* )?)*(push (.* )?(https?:|ssh:|git@|git:)\S+|remote (add (\S+ )*(?!upstream|origin)\S+ https?:\S+|set-url) )/,
    'beyond',
  ],
  [
    'later-scripts',
    'it changes what a package manager runs later',
    /^(npm|pnpm) pkg set .*scripts(\.|\[)?\S*(install|prepare|prepublish|postpack)|^(npm|pnpm) (pkg set .*|set-script .*)(rm␣|curl|wget|␣-r|sh$|¦|node␣-e|eval)|^(npm|pnpm|yarn) (config )?set (.* )?(ignore-scripts[ =]false|init-module|yarnPath|userconfig|globalconfig|node-options|git)|^yarn set version (https?:|\.)/,
    'inside',
  ],
  [
    'package-source',
    'it takes a program from an address and not from the registry',
    /^(npm|npx|pnpm|yarn|bunx?|deno|corepack|uvx?|pipx?|pip3|python[\d.]* -m pip|cargo|gem|helm(?! repo add )|gradlew?|nix|composer|poetry|conda|luarocks|opam) (.* )?((git\+)?(https?|ssh|git):(?!\/\/(localhost|127\.0))\S+|github:\S+|gitlab:\S+|--(extra-)?index-url|--registry|--trusted-host|--source(?= https?)|(-f|--find-links) https?)/,
    'beyond',
  ],
  [
    'extensions',
    'it gives an editor or a tool programs of others',
    /^(code|codium|cursor|windsurf|code-insiders|code-server|positron|idea|studio) (.* )?--(un)?install-extension|^(gh extension (install|upgrade|remove)|kubectl krew (un)?install|helm plugin (install|uninstall)|docker plugin install|az extension add|gcloud components (install|remove)|tmux set-hook|pm2 (startup|save|install|unstartup)|pre-commit install|lefthook install|supervisorctl (stop|restart|shutdown|remove)|direnv (allow|permit)|mise trust|asdf plugin add|vagrant plugin install|jupyter (labextension|nbextension) install)( |$)/,
  ],
  [
    'git-hooks',
    'it changes what git runs by itself',
    /^git (-\S+ ([^- ]\S* )?)*config (.* )?(init\.templateDir|gpg\.(\S+\.)?program|sequence\.editor|core\.editor \S*(␣|\/)|merge\.\S+\.driver|diff\.\S+\.(command|textconv)|pager\.\S+|\S+tool\.\S+\.cmd|interactive\.diffFilter|web\.browser|browser\.\S+|man\.\S+\.cmd|trailer\.\S+|uploadpack\.\S+|core\.attributesFile|remote\.\S+\.(uploadpack|receivepack|proxy)|protocol\.ext\S*|http\.(proxy|sslVerify)|safe\.directory) ?\S/i,
    'beyond',
  ],
  [
    'packages',
    'it removes programs of the machine',
    /^(((pip3?|python[\d.]* -m pip|uv pip|uv tool|pipx|cargo|gem|rustup( \S+)?|nvm|asdf|sdk|mise|fnm|volta|pyenv|rbenv|dotnet tool|luarocks|opam) (.* )?uninstall(-all)?|rustup (self|toolchain|target|component) remove|sdk rm|nix-env (.* )?(-e|--uninstall))|(npm|pnpm|yarn) (?=.*(-g|--global|global)( |$))(.* )?(uninstall|un|rm|remove|r)|conda (env |create .*|)?remove|conda uninstall|mamba (env )?remove)( |$)/,
  ],
  [
    'publish',
    'it publishes or changes what others use',
    /^((npx|bunx|pnpm dlx)( -\S+)* )?((fly|flyctl|netlify|vercel|wrangler|firebase|serverless|sls|sam|cdk|eb|railway|render|surge|now|gh-pages|convex|sst|supabase|pulumi|copilot|heroku|gcloud (run|app|functions)|az (webapp|functionapp)|cap|dokku|kamal|ansible-playbook|amplify|az deployment \S+|supabase functions)( .*)? (deploy|launch|up|publish|push|create|setup|link)|vercel (.* )?--prod|netlify (.* )?--prod|surge|gh-pages|vercel$|gh workflow (run|disable|enable)|gh (pr|run) (merge|cancel|close)|gh (secret|variable) (set|delete|remove)|gh repo fork|gh api (.* )?(-X|--method)[ =]?(DELETE|PUT|PATCH|POST)|glab mr (merge|close)|twilio \S+:create|stripe (.* )?(create|capture|confirm|delete|cancel|refund\S*))( |$)/,
    'beyond',
  ],
  [
    'remote-change',
    'it changes or rents machines and services elsewhere',
    /^(kubectl|oc) (.* )?(apply|create|scale|patch|edit|set|cordon|uncordon|taint|label|annotate|replace|rollout (undo|restart|pause)|autoscale|expose|run|cp|debug)( (?!.*--dry-run)|$)|^helm (?!diff |template )(.* )?(upgrade|install|rollback)( (?!.*--dry-run)|$)|^(pulumi|terraform|tofu) (.* )?(up|apply|import|taint|state (rm|mv|push)|force-unlock|refresh)( |$)|^(eksctl|kops|rancher|linode-cli|hcloud|doctl|vultr-cli|scw|oci|ibmcloud|openstack) (.* )?(create|update|resize|scale|rebuild)( |$)|^(gcloud|az) (?!config set|account set)(.* )?(create|start|stop|resize|update|set|add-iam-policy-binding|deallocate|restart)( (?!-h)|$)|^fly(ctl)? (scale|secrets|machine) |^heroku (ps:|config:set|pg:reset|addons:create|restart|maintenance:)|^winrm/,
    'beyond',
  ],
  [
    'remote-change',
    'it changes or rents machines and services elsewhere',
    /^aws (?!.*--dry-run)(.* )?(run-\S+|create-\S+|put-\S+|update-\S+|modify-\S+|start-\S+|stop-\S+|reboot-\S+|request-\S+|invoke|publish|send-\S+|attach-\S+|detach-\S+|authorize-\S+|revoke-\S+|purchase-\S+|register-\S+|mb|mv|set-\S+|execute-\S+|change-\S+)( |$)|^curl (?!.*(localhost|127\.0\.0\.1|\[::1\]))(.* )?(-X ?|--request[= ])(PUT|PATCH)( |$)|^(https?|xh) (PUT|PATCH) (?!:|localhost)/,
    'beyond',
  ],
  [
    'remote-delete',
    'it deletes what lies on other machines',
    /^(influx|etcdctl|consul|rabbitmqadmin|kafka-\S+|nats|cqlsh|b2|azcopy|nomad) (.* )?(-{0,2}(del|delete|rm|remove|purge|drop)|'?drop␣\S*|stop)( |$)/i,
    'beyond',
  ],
  [
    'send-files',
    'it sends files or what a program prints to another machine',
    /^(curl|wget) (?!.*(localhost|127\.0\.0\.1)).*(\$\(|`)(cat|base64|tar|xxd|od|gzip|head|tail|env|git|ls|find|id|whoami)(␣|\)|`)/,
    'beyond',
  ],
  ['sql-update', 'it changes all rows of a table', sql('\\bupdate␣\\w+␣set␣(?![^；]*\\bwhere\\b)'), 'beyond'],
  [
    'sql-drop',
    'it empties or deletes a database',
    /^((npx|bunx|pnpm exec|yarn|bundle exec|poetry run|uv run|python[\d.]*|php|bin\/\S+)( -\S+)* )?\S*((prisma (.* )?(migrate reset|db push (.* )?--(accept-data-loss|force-reset))|rails db:(drop|reset|purge|setup|migrate:reset|truncate\S*|schema:load)|(rails|rake|bin\/rails) (.* )?db:(drop|reset|purge|migrate:reset|truncate\S*)|manage\.py (flush|reset_db|sqlflush)|artisan (migrate:(fresh|reset|refresh)|db:wipe)|sequelize(-cli)? (.* )?(db:drop|db:migrate:undo:all)|typeorm (.* )?(schema:drop|migration:revert)|alembic downgrade|flyway (.* )?clean|liquibase (.* )?drop-all|liquibase (.* )?dropAll|knex (.* )?migrate:(rollback|down)|dbt (.* )?--full-refresh|mix ecto\.(drop|reset)|drizzle-kit drop|doctrine:(database:drop|schema:drop)|supabase db reset|hasura (.* )?rollback|redis-cli (.* )?(del|unlink|flush\S*|shutdown|config set|eval|rename))( |$))/i,
    'beyond',
  ],
  [
    'sql-drop',
    'it replaces a whole database',
    /^sqlite3 .*(\.restore|\.import.*--?replace|\.recover)|^(pg_restore|mongorestore) (.* )?(-c|--clean|--drop)( |$)/,
    'inside',
  ],
  [
    'made-here',
    'it runs a program of a file that is not part of the work',
    /^(vim?|nvim|emacs|gvim) (.* )?(-u|-S|-l|-L|--load) ?\/(tmp|var\/tmp|dev\/shm)|^(ant|make|gmake|mvn|gradlew?|cmake|just|ninja) (.* )?(-f|-I|-P|--init-script|--buildfile) ?(\/tmp|\/var\/tmp|\/dev\/shm|https?:)/,
  ],
]
