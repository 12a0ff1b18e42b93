import type { AsyncCommand } from 'fast-check'
import type { Bench } from '../bench.ts'
import { assertWorld, type Model } from './world.ts'

/** Enables or disables the application's callback, which owes nothing by itself. */
export class SetCallback implements AsyncCommand<Model, Bench> {
  readonly enabled: boolean

  constructor(enabled: boolean) {
    this.enabled = enabled
  }

  check(): boolean {
    return true
  }

  async run(model: Model, bench: Bench): Promise<void> {
    await bench.setCallback({ enabled: this.enabled })
    model.callback = this.enabled
    assertWorld(model, bench)
  }

  toString(): string {
    return `callback ${this.enabled ? 'on' : 'off'}`
  }
}
