import { existsSync, readFileSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
import { replaceFile } from '@countersign/reference-server/reviewed'
import { MemorySaver } from '@langchain/langgraph'

/** Checkpoints of LangGraph in a file, written before each call goes on. */
export class FileSaver extends MemorySaver {
  readonly #file: string

  constructor(file: string) {
    super()
    this.#file = file
    if (!existsSync(file)) return
    const { storage, writes } = deserialize(readFileSync(file))
    this.storage = storage
    this.writes = writes
  }

  #keep(): void {
    const { storage, writes } = this
    replaceFile(this.#file, serialize({ storage: { ...storage }, writes: { ...writes } }))
  }

  override async put(...given: Parameters<MemorySaver['put']>) {
    const done = await super.put(...given)
    this.#keep()
    return done
  }

  override async putWrites(...given: Parameters<MemorySaver['putWrites']>) {
    await super.putWrites(...given)
    this.#keep()
  }
}
