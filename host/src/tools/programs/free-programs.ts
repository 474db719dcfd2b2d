/**
 * Programs of which no argument is a question by itself: what they read, write and delete is judged as paths, and what harm they can do has
 * rows in the table of dangers.
 */
const lists: readonly string[] = [
  // The shell's own.
  ': . [ [[ ]] alias bg bind break builtin caller case cd command compgen complete continue declare dirs disown echo enable esac eval exec exit export false fc fg for function getopts hash help history if in jobs let local logout mapfile popd printf pushd pwd read readarray readonly return select set setopt shift shopt source suspend test then time times trap true type typeset ulimit umask unalias unset until wait while do done elif else fi',
  'sh bash zsh dash ksh fish rbash autoload bindkey rehash where',
  // Files and text.
  'ls dir vdir ll la cat tac nl head tail less more most bat batcat grep egrep fgrep zgrep rg ag ack ugrep find fd fdfind bfs locate tree exa eza lsd wc sort uniq cut paste join comm tr fold fmt column expand unexpand rev shuf seq tee split csplit diff diff3 sdiff cmp colordiff delta difft wdiff vimdiff meld patch file stat du df ncdu dust duf touch mkdir mktemp cp mv rm rmdir ln install readlink realpath basename dirname truncate unlink sponge pv tsort look rename vidir',
  'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum b2sum b3sum cksum sum md5 base64 base32 xxd od hexdump hd strings iconv dos2unix unix2dos uuencode uudecode chmod chown chgrp getfacl lsattr xattr',
  'tar gtar bsdtar zip unzip gzip gunzip zcat zless bzip2 bunzip2 bzcat xz unxz xzcat zstd unzstd zstdcat lz4 7z 7za 7zz unrar ar cpio zipinfo brotli pigz',
  'sed gsed awk gawk mawk nawk jq yq xq tomlq dasel fx gron mlr csvcut csvlook csvsql csvgrep csvstat csvjson in2csv xsv qsv jo xmllint xmlstarlet xsltproc tidy fzf sk',
  // The machine, looked at.
  'date cal ncal uptime uname hostname whoami who w id groups users last lastlog logname tty arch nproc free vmstat iostat mpstat sar lscpu lsblk blkid lsusb lspci lsmod lshw env printenv locale getconf getent ps pstree pgrep pidof top htop btop lsof ss netstat ip ifconfig arp ping ping6 traceroute tracepath mtr dig host nslookup whois drill which whereis whatis apropos man info tldr cheat sleep watch timeout yes kill pkill killall renice nice sync sw_vers system_profiler mdfind mdls lsb_release hostid sestatus getcap findmnt namei pmap pwdx dmesg journalctl apt-cache dpkg-query neofetch fastfetch tput stty clear reset tset figlet cowsay lolcat bc dc expr factor units numfmt getopt xclip xsel pbcopy pbpaste wl-copy wl-paste logger loginctl say notify-send',
  // Languages, compilers, builds.
  'node nodejs python python2 python3 pypy pypy3 ipython ruby irb pry perl prove php lua luajit luacheck stylua busted Rscript R julia elixir iex mix erl erlc rebar3 ghc ghci runghc runhaskell stack cabal hlint ormolu fourmolu ocaml ocamlfind dune java javac javap javadoc jar jshell jps jstack jmap jcmd kotlin kotlinc scala scalac sbt mill groovy clojure clj lein bb swift swiftc swiftlint swiftformat dart flutter fvm nim nimble zig crystal shards v odin gleam racket raco guile sbcl tclsh octave gnuplot',
  'gcc g++ cc c++ clang clang++ cpp ld lld as nm objdump objcopy readelf ldd strip gdb lldb valgrind make gmake cmake ccmake ctest cpack ninja meson bazel bazelisk buck2 pants scons autoconf automake aclocal autoheader autoreconf libtool libtoolize configure pkg-config pkgconf ccache distcc sccache gofmt goimports gofumpt golangci-lint staticcheck dlv air gotestsum mockgen wire sqlc templ rustc rustfmt rust-analyzer wasm-pack wasm-opt wasm-bindgen trunk just task mage xmake swig bison flex yacc lex re2c gperf m4 clang-format clang-tidy clangd cppcheck cpplint astyle uncrustify ctags etags cscope doxygen gcov gcovr lcov genhtml gprof addr2line c++filt size nasm yasm protoc buf grpcurl thrift flatc capnp emcc em++ emcmake emmake',
  'tsc ts-node tsx esbuild swc babel webpack webpack-cli rollup rolldown vite vitest vue-tsc svelte-check jest mocha ava tap tape jasmine karma nyc c8 cypress playwright puppeteer wdio testcafe eslint eslint_d tslint prettier prettierd biome dprint stylelint oxlint standard xo turbo nx lerna rush moon parcel rspack rsbuild next nuxt nuxi astro remix gatsby ng vue ionic expo react-native storybook sb tailwindcss postcss sass lessc typedoc jsdoc api-extractor concurrently nodemon serve http-server live-server json-server wait-on cross-env dotenv dotenvx lint-staged commitlint changeset ncu npm-check-updates npm-check depcheck madge knip size-limit tsup unbuild tsdown microbundle bunchee ncc typeorm sequelize sequelize-cli knex prisma drizzle-kit graphql-codegen openapi-generator openapi-generator-cli openapi-typescript swagger-cli redocly spectral msw svgo svgr imagemin patch-package syncpack sort-package-json license-checker publint attw npm-run-all npm-run-all2 run-s run-p shx degit tiged cspell alex markdownlint markdownlint-cli2 textlint license-report json2ts quicktype ajv tsc-watch tsc-alias tsconfig-paths ts-prune type-coverage ttsc electron electron-builder tauri cap shadcn create-react-app npx-import envinfo pkg-size',
  'pytest py.test tox nox coverage mypy pyright basedpyright pyre ruff black isort flake8 pylint pyflakes pycodestyle pydocstyle bandit autopep8 yapf autoflake pyupgrade vulture radon safety pip-audit sphinx-build sphinx-quickstart mkdocs jupytext nbstripout uvicorn gunicorn hypercorn flask fastapi django-admin celery alembic streamlit gradio cookiecutter copier pyinstaller virtualenv pip-compile pip-sync pipdeptree maturin cython scrapy dbt sqlfluff papermill nbconvert invoke inv fab locust manage.py scalene py-spy memray kedro dvc mlflow',
  'rspec rubocop rails rake rackup puma jekyll standardrb erb bundle bundler brakeman sorbet srb solargraph steep guard overmind foreman hivemind phpunit phpstan php-cs-fixer phpcs phpcbf artisan psalm pest pint rector sail symfony drush wp mvn mvnw gradle gradlew ant dotnet msbuild csc nuget paket fantomas ktlint detekt xcodebuild xcode-select pod carthage xcpretty xcbeautify',
  'husky semver kill-port tsd dts-bundle-generator ts-jest source-map-explorer webpack-bundle-analyzer bundlesize all-contributors conventional-changelog standard-version lighthouse pa11y stryker jscpd web-ext yo json-schema-to-typescript ts-to-zod zx pod-install allure newman artillery wait-port kysely depcruise dependency-cruiser sv gulp grunt bower ember yarn-deduplicate repomix degit tsimp esno jiti vite-node vite-bundle-visualizer npm-packlist auto-changelog git-cz cz commitizen commit-and-tag-version es-check browserslist update-browserslist-db caniuse-lite plop hygen nest strapi payload ts-node-dev swagger-jsdoc jsdoc2md documentation typechain solhint tailwind daisyui',
  'ast-grep sg comby sd procs btm bandwhich gping doggo dog curlie hurl oha bombardier ghz datamash csvtk gojq jaq htmlq pup choose hck zoxide z j autojump starship datasette sqlite-utils systemd-analyze hostnamectl timedatectl localectl sensors acpi upower xrandr pactl lsns iwconfig debuild dpkg-buildpackage rpmbuild qmake moc godot blender pio platformio arduino-cli idf.py verilator iverilog yosys ghdl coqc lean lake agda idris2 mono anvil solc gitk tensorboard accelerate torchrun nvitop earthly dagger devcontainer ddev lando mkcert chroma awslocal localstack basenc sqlx diesel sea-orm-cli cargo-watch cargo-nextest ruff-lsp pylsp gopls typescript-language-server java-format google-java-format spotless rustup-init nextflow snakemake moonc fennel love',
  // Documents and pictures.
  'ffmpeg ffprobe ffplay convert magick identify montage composite gm inkscape dot neato fdp circo plantuml mmdc d2 pdftotext pdfinfo pdftoppm pdfimages pdfunite pdfseparate qpdf pdftk latex pdflatex xelatex lualatex latexmk bibtex biber tectonic typst tesseract exiftool sox optipng pngquant oxipng jpegoptim cwebp dwebp gifsicle yt-dlp vips lilypond libreoffice soffice aspell hunspell codespell typos vale mdl asciidoctor groff pandoc wkhtmltopdf weasyprint hugo zola mdbook vitepress docusaurus quarto eleventy glow mdcat cloc scc tokei onefetch asciinema vhs marp slidev rst2html',
  // Editors, and what looks after shells and projects.
  'vim vi nvim nano emacs emacsclient pico micro hx helix kak view code codium cursor windsurf code-insiders subl zed idea pycharm webstorm open xdg-open start explorer.exe cygpath wslpath tig gitui lazygit diffstat git-lfs git-cliff shellcheck shfmt bats hadolint actionlint yamllint jsonlint taplo tflint tfsec checkov terrascan terraform-docs kubeval kubeconform kube-linter trivy snyk grype syft semgrep gitleaks dive act hyperfine ab wrk hey k6 vegeta autocannon perf strace ltrace script asciidoc watchexec entr screen xdpyinfo glxinfo nvidia-smi rocm-smi nvcc kubectx kubens stern kail k9s kustomize helmfile cfn-lint ansible-lint ansible-doc ansible-inventory molecule yamale cue jsonnet jb pkl opa conftest cosign',
  // Reach other machines; what they send and change has rows.
  'curl wget fetch aria2c http https xh xhs ssh scp rsync nc ncat netcat websocat wscat telnet mutt mail mailx sshpass ssh-keyscan ssh-copy-id ssh-keygen lynx links w3m git-clone',
  // Databases; their statements are read.
  'psql mysql mariadb sqlite3 sqlite duckdb mongosh mongo pg_dump pg_dumpall pg_isready pg_restore pg_ctl initdb createdb pgbench mysqldump mongodump mongoexport mongorestore mongoimport mycli pgcli litecli usql clickhouse-client redis-cli sqlcmd cockroach redis-server mongod postgres mysqld sqldiff sqlite3_analyzer flyway liquibase atlas goose migrate dbmate',
  // Run other programs; those are judged.
  'sudo doas env xargs parallel nohup setsid stdbuf unbuffer taskset ionice chrt flock busybox toybox caffeinate xvfb-run npx bunx dlx time gtime gtimeout exec faketime chronic ifne eatmydata fakeroot rlwrap',
  'ansible-playbook rimraf del-cli trash crontab at batch atq',
]

const names: ReadonlySet<string> = new Set(lists.flatMap((list) => list.split(' ')))

/** A version behind a name, as in `python3.12`, `gcc-13` or `eslint@9`, says nothing. */
const withoutVersion = (name: string): string => name.replace(/(.)@[^@/]*$/, '$1').replace(/-?\d+(\.\d+)*$/, '')

const plainName = (name: string): string => name.replace(/\.(exe|cmd|phar)$/, '')

/** Words that only ask a program what it is. */
export const asksForHelp = (words: readonly string[]): boolean =>
  words.length === 1 && /^(--?version|-[vVh]|version|--?help|help)$/.test(words[0] ?? '')

/** Whether a program is a question by no argument. Makers of new projects are one kind. */
export function isFree(written: string): boolean {
  const name = plainName(written)
  return names.has(name) || names.has(withoutVersion(name)) || isMaker(name)
}

/** What `npm create` and its kin run: the makers of new projects that people know. */
export const isMaker = (name: string): boolean =>
  /^(create-)?(vite(-\w+)?|next-app|next|react-app|react-router|react-native-app|vue|vue-app|svelte|astro|nuxt|nuxt-app|remix|expo|expo-app|solid|qwik|playwright|t3-app|turbo|nx-workspace|electron-app|electron-vite|tauri-app|docusaurus|hono|elysia|fastify|strapi-app|payload-app|medusa-app|storybook|rsbuild|cloudflare|discord-bot|redwood-app|gatsby|preact|lit|eslint|eslint-config|wdio|video|slidev|vitepress|waku|analog|angular|ink-app|mastra|convex|better-t-stack|tsrouter-app|start-app|jest-app|probot-app|ts-index|typescript-app|node-app|plasmo|wxt|farm|sanity|directus-project|keystone-app|umi|dumi|rspack|rslib)(@\S*)?$/.test(
    name,
  )

/** Packages with a scope that people run straight from the registry. */
export const isFreePackage = (name: string): boolean =>
  /^@(angular|vue|nestjs|biomejs|playwright|storybook|changesets|commitlint|tailwindcss|sveltejs|astrojs|redocly|openapitools|graphql-codegen|microsoft|typescript-eslint|eslint|babel|swc|vitejs|nuxt|remix-run|react-native-community|expo|ionic|capacitor|electron-forge|arethetypeswrong|stoplight|modelcontextprotocol|next|sentry|prisma|tanstack|shopify|11ty|rsbuild|aws-cdk|antfu|hey-api|quasar|web|wdio|percy|lhci|bazel|tsconfig|types|cspell|ls-lint|marp-team|mermaid-js|slidev)(\/|$)/.test(
    name,
  )
