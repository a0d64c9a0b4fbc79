import type { SyntaxNode } from '@lezer/common';

/** What the tree builders need beside the tree. */
export interface Source {
  text: string;
  /** Offset in ns by the start of the range it follows. */
  offsets: Map<number, number>;
}

/** Direct children, in order. */
export function children(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(child);
  return found;
}

/** All nodes of a name below, in order. */
export function descendants(node: SyntaxNode, name: string): SyntaxNode[] {
  return children(node).flatMap((child) => (child.name === name ? [child] : descendants(child, name)));
}

export function textOf(node: SyntaxNode, source: Source): string {
  return source.text.slice(node.from, node.to);
}
