const names = 'mysql|mariadb|psql|sqlite3?|sqlcmd|clickhouse(-client)?|duckdb|cockroach|bq|usql|mycli|pgcli|litecli'
const pattern = new RegExp(`^(${names})$`)

/** Programs that take SQL statements, as part of a regular expression. */
export const databases = `(${names})`

export const isDatabase = (program: string): boolean => pattern.test(program)
