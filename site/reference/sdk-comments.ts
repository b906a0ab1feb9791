import {
  type Application,
  Comment,
  CommentTag,
  type Context,
  Converter,
  type DeclarationReflection,
  LiteralType,
  type ProjectReflection,
  type Reflection,
  ReflectionKind,
  UnionType,
} from 'typedoc';
import { helperTypeNames } from './sdk-modules';

/** Removes what users do not write: the constructors of the resources, and what classes inherit. */
function removeInternals(project: ProjectReflection): void {
  const members = project.getReflectionsByKind(ReflectionKind.ClassMember);
  for (const reflection of members) {
    const { parent } = reflection;
    if (!reflection.isDeclaration() || !parent?.kindOf(ReflectionKind.Class)) continue;
    const isResource = reflection.signatures?.some((signature) =>
      signature.parameters?.some(({ type }) => type?.toString() === 'Transport'),
    );
    if (isResource || reflection.inheritedFrom !== undefined) project.removeReflection(reflection);
  }
}

/** Returns the values of an alias that is a list of texts: it may be written with a list that is not exported. */
function readValues(context: Context, reflection: DeclarationReflection): UnionType | null {
  if (!reflection.kindOf(ReflectionKind.TypeAlias)) return null;
  const symbol = context.getSymbolFromReflection(reflection);
  if (symbol === undefined) return null;
  const declared = context.checker.getDeclaredTypeOfSymbol(symbol);
  if (!declared.isUnion() || !declared.types.every((type) => type.isStringLiteral())) return null;
  return new UnionType(declared.types.map(({ value }) => new LiteralType(value)));
}

/** Puts what a function throws into one list, each with the name of its class. TypeDoc shows neither. */
function gatherThrows(comment: Comment, classes: ReadonlyMap<string, Reflection>): void {
  const thrown = comment.getTags('@throws');
  if (thrown.length === 0) return;
  const items = thrown.flatMap(({ typeAnnotation, content }, index): Comment['summary'] => {
    const name = typeAnnotation?.replace(/^\{|\}$/g, '');
    const target = classes.get(name ?? '');
    const text = `${index === 0 ? '' : '\n'}- `;
    if (name === undefined) return [{ kind: 'text', text }, ...content];
    const shown = { kind: 'code', text: `\`${name}\`` } as const;
    const link = target && ({ kind: 'inline-tag', tag: '@link', text: name, target } as const);
    return [{ kind: 'text', text }, link ?? shown, { kind: 'text', text: ': ' }, ...content];
  });
  comment.removeTags('@throws');
  comment.blockTags.push(new CommentTag('@throws', items));
}

/** Says of a helper type that programs cannot import it. */
function markHelperType(reflection: DeclarationReflection): void {
  if (!helperTypeNames.has(reflection.name) || !reflection.parent?.kindOf(ReflectionKind.Module))
    return;
  const comment = reflection.comment ?? new Comment();
  comment.summary.push({
    kind: 'text',
    text: '\n\nA part of other types: it has no name to import.',
  });
  reflection.comment = comment;
}

/** Makes the reference of the SDK complete, and free of what users do not need. */
export function prepareComments(app: Application): void {
  const values = new Map<Reflection, UnionType>();
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    const union = readValues(context, reflection);
    if (union !== null) values.set(reflection, union);
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    const named = project.getReflectionsByKind(ReflectionKind.Class);
    const classes = new Map(named.map((reflection) => [reflection.name, reflection]));
    for (const [alias, union] of values) {
      if (alias.isDeclaration()) alias.type = union;
    }
    for (const reflection of Object.values(project.reflections)) {
      if (reflection.comment) gatherThrows(reflection.comment, classes);
      if (reflection.isDeclaration()) markHelperType(reflection);
    }
  });
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => removeInternals(project));
}
