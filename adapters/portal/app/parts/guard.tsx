import { Component, type ComponentChildren } from 'preact'

/** Keeps what can not be drawn from taking the rest of the page with it: in its place stands something else. */
export class Guard extends Component<
  {
    /** What is drawn; another one is tried anew. */
    readonly of: unknown
    readonly instead: (error: unknown) => ComponentChildren
    readonly onBroken?: () => void
    readonly children: ComponentChildren
  },
  { readonly error: unknown }
> {
  override state = { error: null as unknown }

  static override getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override componentDidCatch(error: unknown) {
    console.error(error)
    this.props.onBroken?.()
  }

  override componentDidUpdate(before: Readonly<{ readonly of: unknown }>) {
    if (before.of !== this.props.of && this.state.error !== null) this.setState({ error: null })
  }

  override render() {
    const { error } = this.state
    return error === null ? this.props.children : this.props.instead(error)
  }
}
