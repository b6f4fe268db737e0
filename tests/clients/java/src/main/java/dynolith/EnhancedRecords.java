package dynolith;

import java.util.List;
import java.util.Objects;
import software.amazon.awssdk.enhanced.dynamodb.extensions.annotations.DynamoDbAtomicCounter;
import software.amazon.awssdk.enhanced.dynamodb.extensions.annotations.DynamoDbVersionAttribute;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbAttribute;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbBean;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondaryPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondarySortKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSortKey;

/** The three kinds of the favourites table, for the enhanced client: users, tags and favourites. */
public final class EnhancedRecords {
  private EnhancedRecords() {}

  /** The keys of the table and of its five indexes. Where one is null, the record is not in that index. */
  @DynamoDbBean
  public abstract static class Entry {
    private String pk;
    private String sk;
    private String byName;
    private String byCreation;
    private String byUse;
    private String gsi1Pk;
    private String gsi1Sk;
    private String gsi2Pk;
    private String gsi2Sk;

    @DynamoDbPartitionKey
    @DynamoDbAttribute("PK")
    public String getPk() {
      return pk;
    }

    public void setPk(String pk) {
      this.pk = pk;
    }

    @DynamoDbSortKey
    @DynamoDbAttribute("SK")
    public String getSk() {
      return sk;
    }

    public void setSk(String sk) {
      this.sk = sk;
    }

    @DynamoDbSecondarySortKey(indexNames = "ByName")
    public String getByName() {
      return byName;
    }

    public void setByName(String byName) {
      this.byName = byName;
    }

    @DynamoDbSecondarySortKey(indexNames = "ByCreation")
    public String getByCreation() {
      return byCreation;
    }

    public void setByCreation(String byCreation) {
      this.byCreation = byCreation;
    }

    @DynamoDbSecondarySortKey(indexNames = "ByUse")
    public String getByUse() {
      return byUse;
    }

    public void setByUse(String byUse) {
      this.byUse = byUse;
    }

    @DynamoDbSecondaryPartitionKey(indexNames = "GSI1")
    @DynamoDbAttribute("GSI1PK")
    public String getGsi1Pk() {
      return gsi1Pk;
    }

    public void setGsi1Pk(String gsi1Pk) {
      this.gsi1Pk = gsi1Pk;
    }

    @DynamoDbSecondarySortKey(indexNames = "GSI1")
    @DynamoDbAttribute("GSI1SK")
    public String getGsi1Sk() {
      return gsi1Sk;
    }

    public void setGsi1Sk(String gsi1Sk) {
      this.gsi1Sk = gsi1Sk;
    }

    @DynamoDbSecondaryPartitionKey(indexNames = "GSI2")
    @DynamoDbAttribute("GSI2PK")
    public String getGsi2Pk() {
      return gsi2Pk;
    }

    public void setGsi2Pk(String gsi2Pk) {
      this.gsi2Pk = gsi2Pk;
    }

    @DynamoDbSecondarySortKey(indexNames = "GSI2")
    @DynamoDbAttribute("GSI2SK")
    public String getGsi2Sk() {
      return gsi2Sk;
    }

    public void setGsi2Sk(String gsi2Sk) {
      this.gsi2Sk = gsi2Sk;
    }
  }

  /** Counts its visits by itself: each update is one more. */
  @DynamoDbBean
  public static class User extends Entry {
    private String name;
    private Long visits;

    public static User of(String name) {
      User user = new User();
      user.setPk("USER#" + name);
      user.setSk("#PROFILE");
      user.setName(name);
      return user;
    }

    public String getName() {
      return name;
    }

    public void setName(String name) {
      this.name = name;
    }

    @DynamoDbAtomicCounter
    public Long getVisits() {
      return visits;
    }

    public void setVisits(Long visits) {
      this.visits = visits;
    }
  }

  /** In the local indexes; locked optimistically by its version. */
  @DynamoDbBean
  public static class Tag extends Entry {
    private String name;
    private Long version;

    public static Tag of(String user, String name, String created, String used) {
      Tag tag = new Tag();
      tag.setPk("USER#" + user);
      tag.setSk("TAG#" + name);
      tag.setName(name);
      tag.setByName("TAG#" + name);
      tag.setByCreation("TAG#" + created);
      tag.setByUse("TAG#" + used);
      return tag;
    }

    public String getName() {
      return name;
    }

    public void setName(String name) {
      this.name = name;
    }

    @DynamoDbVersionAttribute
    public Long getVersion() {
      return version;
    }

    public void setVersion(Long version) {
      this.version = version;
    }
  }

  /** In the global indexes: by its kind, and by its first tag. */
  @DynamoDbBean
  public static class Favourite extends Entry {
    private String kind;
    private String text;
    private List<String> tags;

    public static Favourite of(String user, String id, String kind, List<String> tags, String created, String text) {
      Favourite favourite = new Favourite();
      favourite.setPk("USER#" + user);
      favourite.setSk("FAV#" + id);
      favourite.setKind(kind);
      favourite.setText(text);
      favourite.setTags(tags);
      favourite.setByName("FAV#" + text);
      favourite.setByCreation("FAV#" + created);
      favourite.setGsi1Pk("USER#" + user + "#TYPE#" + kind);
      favourite.setGsi1Sk(created);
      favourite.setGsi2Pk("USER#" + user + "#TAG#" + tags.get(0));
      favourite.setGsi2Sk(created);
      return favourite;
    }

    public String getKind() {
      return kind;
    }

    public void setKind(String kind) {
      this.kind = kind;
    }

    public String getText() {
      return text;
    }

    public void setText(String text) {
      this.text = text;
    }

    public List<String> getTags() {
      return tags;
    }

    public void setTags(List<String> tags) {
      this.tags = tags;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Favourite that
          && Objects.equals(getPk(), that.getPk())
          && Objects.equals(getSk(), that.getSk())
          && Objects.equals(kind, that.kind)
          && Objects.equals(text, that.text)
          && Objects.equals(tags, that.tags);
    }

    @Override
    public int hashCode() {
      return Objects.hash(getPk(), getSk());
    }

    @Override
    public String toString() {
      return getSk() + " " + kind + " " + tags + " " + text;
    }
  }
}
