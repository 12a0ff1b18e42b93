import pg from 'pg'

interface Place {
  readonly url: string
  readonly schema: string
}

/** Asks past any store, in its schema. */
export async function within<T>(
  { url, schema }: Place,
  run: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` })
  await client.connect()
  try {
    return await run(client)
  } finally {
    await client.end()
  }
}

/** What a store needs to go on. */
const kept = ['_collections', '_indexes', '_schema', '_writers']

/** Removes rows, counters and logs of a store while it is open. */
export async function emptySchema(place: Place): Promise<void> {
  await within(place, async (client) => {
    const { rows } = await client.query(
      'select table_name from information_schema.tables where table_schema = $1',
      [place.schema],
    )
    const full = (rows as readonly { readonly table_name: string }[])
      .map(({ table_name: name }) => name)
      .filter((name) => !kept.includes(name))
    await client.query(full.map((name) => `delete from "${name}"`).join('; '))
  })
}
